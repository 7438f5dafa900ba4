import {
  type KeyObject,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from 'node:crypto';
import { parseJsonObject } from '#base';
import { FeedRefused } from './feed-refused.ts';

const PUBLIC_KEY = /^ed25519:([A-Za-z0-9+/]{43}=)$/;

/** A key that signs feeds. */
export interface SigningKey {
  privateKey: KeyObject;
  /** As it is written in `sluice.yaml`. */
  publicKey: string;
}

/** A new private key, as PEM. */
export function createSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Reads a private key from PEM; undefined if it is no Ed25519 key. */
export function readSigningKey(pem: string): SigningKey | undefined {
  try {
    const privateKey = createPrivateKey(pem);
    if (privateKey.asymmetricKeyType !== 'ed25519') return undefined;
    const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
    return { privateKey, publicKey: `ed25519:${Buffer.from(x, 'base64url').toString('base64')}` };
  } catch {
    return undefined;
  }
}

/** Whether a text is a public key as `sluice.yaml` has it. */
export function isPublicKey(text: string): boolean {
  return PUBLIC_KEY.test(text);
}

/** A short name for a public key. */
export function nameKey(publicKey: string): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
}

/** The text of the signature's file: a detached signature of the very bytes of the feed. */
export function signFeed(bytes: Uint8Array, { privateKey, publicKey }: SigningKey): string {
  const signature = sign(null, bytes, privateKey).toString('base64');
  return `${JSON.stringify({ keyId: nameKey(publicKey), signature })}\n`;
}

/** Throws FeedRefused unless the bytes were signed with the key. */
export function verifyFeed(bytes: Uint8Array, signatureText: string, publicKey: string): void {
  const { keyId, signature } = parseJsonObject(signatureText) ?? {};
  if (typeof keyId !== 'string' || typeof signature !== 'string')
    throw new FeedRefused('signature', 'its signature file is not one of `catalogue sign`');
  const expected = nameKey(publicKey);
  if (keyId !== expected)
    throw new FeedRefused(
      'signature',
      `it is signed with the key ${keyId.slice(0, 40)}, and \`catalogue.publicKey\` is ${expected}`,
    );
  if (!verify(null, bytes, toKey(publicKey), Buffer.from(signature, 'base64')))
    throw new FeedRefused('signature', `its signature does not fit its content (key ${keyId})`);
}

function toKey(publicKey: string): KeyObject {
  const [, encoded = ''] = PUBLIC_KEY.exec(publicKey) ?? [];
  const x = Buffer.from(encoded, 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}
