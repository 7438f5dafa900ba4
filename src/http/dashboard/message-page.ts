import { type GatewayError, toGatewayError } from '#errors';
import type { Call } from '../endpoint.ts';
import { createRandomText } from '#base';
import { SAFE_HEADERS } from './send-file.ts';

const NONCE_LENGTH = 22;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const STYLE =
  ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:15vh auto;padding:0 1rem}';

/** Takes a step of the sign-in; if it fails, says why as a page: browsers that come from the issuer do not show JSON. */
export async function orMessage(call: Pick<Call, 'reply'>, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (error.code === 'internal_error') throw error;
    sendMessage(call, error);
  }
}

/** How such a page is declared. */
export const pageSpec = (description: string) => ({ description, contentType: 'text/html' });

function sendMessage({ reply }: Pick<Call, 'reply'>, error: GatewayError): void {
  const nonce = createRandomText(NONCE_LENGTH);
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  const headers = {
    ...SAFE_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
  };
  reply.send(error.status, headers, composePage(error.message, nonce));
}

function composePage(message: string, nonce: string): string {
  const text = message.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>You are not signed in</title><style nonce="${nonce}">${STYLE}</style></head>
<body><main><h1>You are not signed in</h1><p role="alert">${text}</p><p><a href="./">Back to the sign-in</a></p></main></body>
</html>
`;
}
