import { createHmac, hash } from 'node:crypto';
import { createLru } from '#base';

/** The keyed hash under which a credential is stored and looked up. */
export type DigestKey = (text: string) => Buffer;

/** The pepper is derived from the installation's secret, so that the secret may have other uses too. */
export function createKeyDigest(secret: Uint8Array): DigestKey {
  const pepper = createHmac('sha256', secret).update('sluice key digest 1').digest();
  return (text) => createHmac('sha256', pepper).update(text).digest();
}

/** The digest of a key as text, as lookups use it. */
export type RecallDigest = (text: string) => string;

const MOST_RECALLED = 20_000;

/** Caches digests by the plain SHA-256 of the key, which costs a thirtieth of the keyed hash. */
export function createDigestMemory(digest: DigestKey): RecallDigest {
  const known = createLru<string, string>(MOST_RECALLED);
  return (text) => {
    const name = hash('sha256', text, 'base64url');
    const recalled = known.get(name);
    if (recalled !== undefined) return recalled;
    const fresh = digest(text).toString('hex');
    known.set(name, fresh);
    return fresh;
  };
}
