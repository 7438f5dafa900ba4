import { createHash, createHmac } from 'node:crypto';

interface SignedRequest {
  method?: string;
  /** Bedrock by default. */
  service?: string;
  path: string;
  body: string | Uint8Array;
  /** Lower-case names; must include the signed ones. */
  headers: Record<string, string>;
}

/** The secret key of tests. */
export const AWS_TEST_KEYS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};

const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The key of one day, region and service, by the published steps. */
export function deriveKey(secret: string, parts: readonly string[]): Buffer {
  let key: string | Buffer = `AWS4${secret}`;
  for (const part of parts) key = hmac(key, part);
  return key as Buffer;
}

/** The expected `authorization`, computed by the published steps of AWS Signature Version 4 without a library. */
export function signByHand(request: SignedRequest, region: string, names: readonly string[]): string {
  const date = request.headers['x-amz-date'] ?? '';
  const encoded = request.path
    .split('/')
    .map((segment) => encodeURIComponent(segment))
    .join('/');
  const canonical = [
    request.method ?? 'POST',
    encoded,
    '',
    ...names.map((name) => `${name}:${request.headers[name] ?? ''}`),
    '',
    names.join(';'),
    sha256(request.body),
  ].join('\n');
  const parts = [date.slice(0, 8), region, request.service ?? 'bedrock', 'aws4_request'];
  const scope = parts.join('/');
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const signature = hmac(deriveKey(AWS_TEST_KEYS.secretAccessKey, parts), text).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${AWS_TEST_KEYS.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
}
