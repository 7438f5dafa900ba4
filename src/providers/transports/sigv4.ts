import type { SignatureV4 } from '@smithy/signature-v4';
import { createHash, createHmac } from 'node:crypto';
import type { Authorize } from './authorized.ts';

/** The keys of an AWS account or role. */
export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

interface SignerOptions {
  baseUrl: string;
  region: string;
  keys: AwsKeys;
  /** For tests; the system time by default. */
  now?: () => Date;
}

const SERVICE = 'bedrock';

/** Signs requests with AWS Signature Version 4, over the exact path and body sent. */
export function createSigner({ baseUrl, region, keys, now }: SignerOptions): Authorize {
  const { protocol, host, hostname, pathname } = new URL(baseUrl);
  const basePath = pathname.replace(/\/+$/, '');
  let loading: Promise<SignatureV4> | undefined;
  return async ({ path, body }) => {
    loading ??= loadSigner({ service: SERVICE, region, keys });
    const signer = await loading;
    const signed = await signer.sign(
      {
        method: 'POST',
        protocol,
        hostname,
        path: basePath + path,
        headers: { host, 'content-type': 'application/json' },
        body,
      },
      now && { signingDate: now() },
    );
    const headers = { ...signed.headers };
    delete headers['host'];
    delete headers['content-type'];
    return headers;
  };
}

/** A service of AWS, or one that checks signatures like it. */
interface AwsService {
  service: string;
  region: string;
  keys: AwsKeys;
}

interface OutgoingRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
}

/** Signs a request to any service of AWS; returns all its headers. The path must need no escaping. */
export async function signAwsRequest(
  { method, url, headers, body }: OutgoingRequest,
  service: AwsService,
  now?: Date,
): Promise<Record<string, string>> {
  const { protocol, host, hostname, pathname } = new URL(url);
  const signer = await loadSigner(service);
  const request = { method, protocol, hostname, path: pathname, headers: { ...headers, host }, body };
  const signed = await signer.sign(request, now && { signingDate: now });
  const all = { ...signed.headers };
  delete all['host'];
  return all;
}

async function loadSigner({ service, region, keys }: AwsService): Promise<SignatureV4> {
  const { SignatureV4: Signer } = await import('@smithy/signature-v4');
  const uriEscapePath = service !== 's3';
  return new Signer({ region, service, credentials: keys, sha256: Sha256, uriEscapePath });
}

interface Hasher {
  update(data: string | Uint8Array): unknown;
  digest(): Buffer;
}

/** The runtime's hash in the shape the signer expects. */
class Sha256 {
  readonly #secret: string | Uint8Array | undefined;
  #hash: Hasher;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#secret = secret === undefined ? undefined : toBytes(secret);
    this.#hash = this.#create();
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(toBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#create();
  }

  #create(): Hasher {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}

function toBytes(data: string | ArrayBuffer | ArrayBufferView): string | Uint8Array {
  if (typeof data === 'string') return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(data);
}
