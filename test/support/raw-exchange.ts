import { setTimeout as sleep } from 'node:timers/promises';
import type { InProcessGateway } from './in-process.ts';
import { RawClient, parseResponse } from './raw-client.ts';

/** Parses a raw answer into a `Response`. */
export function toResponse(received: string): Response {
  const { status, headers, body } = parseResponse(received);
  return new Response(body, { status, headers });
}

/** Everything received for these bytes until the gateway closes, or is silent for a while. */
export async function exchangeBytes(
  url: string,
  bytes: string | Uint8Array,
  quietMs = 100,
): Promise<{ text: string; ended: boolean }> {
  using client = await RawClient.open(url);
  client.send(bytes);
  let heardAtMs = performance.now();
  for (let heard = 0; !client.ended; heard = client.receivedBytes) {
    if (client.receivedBytes !== heard || client.receivedBytes === 0) heardAtMs = performance.now();
    if (performance.now() - heardAtMs > quietMs) break;
    await sleep(2);
  }
  return { text: client.received, ended: client.ended };
}

/** The answer to a request whose body is never completed. */
export async function postHalf(
  { url, account }: InProcessGateway,
  path: string,
  contentType = 'application/json',
): Promise<Response> {
  const head = `host: x\r\nauthorization: Bearer ${account.apiKey}\r\ncontent-type: ${contentType}\r\n`;
  const { text } = await exchangeBytes(
    url,
    `POST ${path} HTTP/1.1\r\n${head}content-length: 100\r\n\r\n{"model":`,
  );
  return toResponse(text);
}
