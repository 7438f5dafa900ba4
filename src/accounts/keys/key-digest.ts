import { createHmac } from 'node:crypto';

/** The keyed hash under which a credential is stored and looked up. */
export type DigestKey = (text: string) => Buffer;

/** The pepper is derived from the installation's secret, so that the secret may serve other purposes too. */
export function createKeyDigest(secret: Uint8Array): DigestKey {
  const pepper = createHmac('sha256', secret).update('sluice key digest 1').digest();
  return (text) => createHmac('sha256', pepper).update(text).digest();
}
