import { setTimeout as sleep } from 'node:timers/promises';
import type { InProcessGateway } from './in-process.ts';
import { RawClient, parseResponse } from './raw-client.ts';

/** Parses a raw answer into a `Response`. */
export function toResponse(received: string): Response {
  const { status, headers, body } = parseResponse(received);
  return new Response(body, { status, headers });
}

/** The gateway is in the same process: in this many turns of the event loop it would have sent more, or closed. */
const QUIET_TURNS = 50;
const TURN_MS = 2;

/** Everything received for these bytes until the gateway closes, or is silent for a while. */
export async function exchangeBytes(
  url: string,
  bytes: string | Uint8Array,
): Promise<{ text: string; ended: boolean }> {
  using client = await RawClient.open(url);
  client.send(bytes);
  let received = 0;
  for (let quiet = 0; !client.ended && quiet < QUIET_TURNS;) {
    await sleep(TURN_MS);
    quiet = client.receivedBytes === received && received > 0 ? quiet + 1 : 0;
    received = client.receivedBytes;
  }
  return { text: client.received, ended: client.ended };
}

/** The answer to a request whose body is never completed. */
export async function postHalf(
  gateway: InProcessGateway,
  path: string,
  contentType?: string,
): Promise<Response> {
  const head = composeHead(gateway, path, { contentType, bytes: 100 });
  const { text } = await exchangeBytes(gateway.url, `${head}{"model":`);
  return toResponse(text);
}

const TOO_MANY_BYTES = 32 * 1024 * 1024 + 1;

/** The answer to a body of one byte too many; `fetch` would copy it several times, which takes a second. */
export async function postTooLarge(
  gateway: InProcessGateway,
  path: string,
  contentType?: string,
): Promise<Response> {
  const head = composeHead(gateway, path, { contentType, bytes: TOO_MANY_BYTES });
  const bytes = Buffer.alloc(head.length + TOO_MANY_BYTES, ' ');
  bytes.write(head);
  const { text } = await exchangeBytes(gateway.url, bytes);
  return toResponse(text);
}

function composeHead(
  { account }: InProcessGateway,
  path: string,
  { contentType = 'application/json', bytes }: { contentType: string | undefined; bytes: number },
): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'host: x',
    `authorization: Bearer ${account.apiKey}`,
    `content-type: ${contentType}`,
    `content-length: ${bytes}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}
