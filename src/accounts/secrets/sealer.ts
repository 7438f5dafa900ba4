import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { createLru, systemRandom } from '#base';

/** The context that an encrypted text is bound to; it does not decrypt with any other. */
export interface SealBinding {
  organizationId: string;
  /** Its row. */
  id: string;
  /** Where it may be sent. */
  address: string;
}

/** Encrypts credentials at rest with AES-256-GCM. */
export interface Sealer {
  seal(text: string, binding: SealBinding, keyId: string): string;
  /** Undefined if the text, its row, its organization or its address have changed since it was sealed. */
  open(sealed: string, binding: SealBinding): string | undefined;
}

const VERSION = 'v1';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MOST_KEYS = 16;

/** Keys are derived from the installation's secret by their id, so that a rotation needs no file and no restart. */
export function createSealer(secret: Uint8Array): Sealer {
  const keys = createLru<string, Buffer>(MOST_KEYS);
  const getKey = (keyId: string): Buffer => {
    const known = keys.get(keyId);
    if (known) return known;
    const key = Buffer.from(hkdfSync('sha256', secret, keyId, 'sluice credential 1', KEY_BYTES));
    keys.set(keyId, key);
    return key;
  };
  return {
    seal: (text, binding, keyId) => {
      const nonce = new Uint8Array(NONCE_BYTES);
      systemRandom(nonce);
      const cipher = createCipheriv(CIPHER, getKey(keyId), nonce).setAAD(toContext(binding, keyId));
      const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${keyId}.${bytes.toString('base64url')}`;
    },
    open: (sealed, binding) => {
      const [version, keyId = '', encoded = '', ...rest] = sealed.split('.');
      const bytes = Buffer.from(encoded, 'base64url');
      if (version !== VERSION || rest.length > 0 || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv(CIPHER, getKey(keyId), bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(toContext(binding, keyId)).setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return (
          decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
        );
      } catch {
        return undefined;
      }
    },
  };
}

/** A JSON list, so that no two bindings have the same text. */
function toContext({ organizationId, id, address }: SealBinding, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([VERSION, keyId, organizationId, id, address]));
}
