import type { IncomingMessage } from 'node:http';
import { GatewayError } from '#errors';

export const MAX_BODY_BYTES = 32 * 1024 * 1024;
const SLOW_LIMIT_MS = 60_000;
/** How long the rest of a refused body is read and thrown away, so that the refusal reaches the caller. */
const DISCARD_LIMIT_MS = 2_000;

/** Reads a whole body, never keeping more than the limit. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const parts: Buffer[] = [];
  let size = 0;
  let discard: NodeJS.Timeout | undefined;
  const slow = setTimeout(
    () => reject(new GatewayError('request_timeout', 'the body did not arrive in time')),
    SLOW_LIMIT_MS,
  );
  const refuse = (): void =>
    reject(new GatewayError('body_too_large', `the body is larger than ${MAX_BODY_BYTES} bytes`));
  request.on('data', (part: Buffer) => {
    size += part.length;
    slow.refresh();
    if (size <= MAX_BODY_BYTES) {
      parts.push(part);
      return;
    }
    parts.length = 0;
    discard ??= setTimeout(refuse, DISCARD_LIMIT_MS);
  });
  request.on('end', () => {
    if (size > MAX_BODY_BYTES) refuse();
    else resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
  });
  request.on('close', () => {
    if (!request.complete) {
      reject(new GatewayError('client_closed', 'the client left before the body was complete'));
    }
  });
  return promise.finally(() => {
    clearTimeout(slow);
    clearTimeout(discard);
  });
}
