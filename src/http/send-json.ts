import type { JsonObject } from '#base';
import type { Reply } from '#pipeline';

/** Sends a JSON answer with status 200 and further headers. */
export function sendJson(
  reply: Reply,
  body: JsonObject | string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  reply.send(200, { 'content-type': 'application/json', ...headers }, text);
}
