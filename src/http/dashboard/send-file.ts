import { acceptsEncoding } from '../accepts-encoding.ts';
import type { Call } from '../endpoint.ts';
import type { DashboardFile } from '../dashboard-files.ts';
import { createRandomText } from '#base';
import { NONCE_MARK } from '../dashboard-files.ts';

const NONCE_LENGTH = 22;

/** Nothing inline and nothing from elsewhere; the nonce is for style sheets that components create. */
const composePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

export const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/** Sends the page with its policy and a nonce of its own; it is never cached. */
export function sendPage({ reply }: Call, { bytes, contentType }: DashboardFile): void {
  const nonce = createRandomText(NONCE_LENGTH);
  const headers = {
    ...SAFE_HEADERS,
    'content-type': contentType,
    'content-security-policy': composePolicy(nonce),
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
  };
  reply.send(200, headers, bytes.toString('utf8').replaceAll(NONCE_MARK, nonce));
}

/** Sends a file in the best encoding that the browser accepts. */
export function sendFile(
  { reply, headers: { 'accept-encoding': accepted } }: Call,
  file: DashboardFile,
): void {
  const takes = (name: 'br' | 'gzip'): boolean => acceptsEncoding(accepted, name);
  const [encoding, body] =
    file.brotli && takes('br')
      ? ['br', file.brotli]
      : file.gzip && takes('gzip')
        ? ['gzip', file.gzip]
        : [undefined, file.bytes];
  const headers = {
    ...SAFE_HEADERS,
    'content-type': file.contentType,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  };
  reply.send(200, headers, body);
}
