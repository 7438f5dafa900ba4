import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { systemRandom } from '#base';

/** Encrypts answers that may contain secrets before they are stored; decryption needs the same name. */
export interface Seal {
  seal(name: string, text: string): Buffer;
  /** Throws where the bytes were changed, belong to another name, or were sealed with another secret. */
  open(name: string, sealed: Buffer): string;
  /** HMAC, so hashes cannot be brute-forced without the key. */
  fingerprint(parts: readonly (string | Uint8Array)[]): Buffer;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under a key of its own, derived from the installation's secret. */
export function createSeal(secret: Uint8Array): Seal {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  const key = derive('sluice idempotent answer 1');
  const hashKey = derive('sluice idempotent request 1');
  return {
    seal: (name, text) => {
      const iv = Buffer.alloc(IV_BYTES);
      systemRandom(iv);
      const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(name));
      return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open: (name, sealed) => {
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(name))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      const text = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    },
    fingerprint: (parts) => {
      const hash = createHmac('sha256', hashKey);
      for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
      return hash.digest();
    },
  };
}
