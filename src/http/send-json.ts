import type { JsonObject } from '#base';
import type { Reply } from '#pipeline';

const PRIVATE = { 'cache-control': 'private, no-store' };

/** Sends a JSON answer with status 200; by default only its caller may keep it. */
export function sendJson(
  reply: Reply,
  body: JsonObject | string,
  headers: Readonly<Record<string, string>> = PRIVATE,
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  reply.send(200, { 'content-type': 'application/json', ...headers }, text);
}
