import type { IncomingMessage } from 'node:http';
import { startDeadline } from '#base';
import { GatewayError } from '#errors';

const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** A body that brings less than this in its time has stopped, however often it drips. */
const PROGRESS_BYTES = 16 * 1024;
/** How long the rest of a refused body is read and thrown away, so that the refusal reaches the caller. */
const DISCARD_LIMIT_MS = 2_000;

/** Reads a whole body, never keeping more than the limit; `limitMs` is its time for each piece of progress. */
export function readBody(request: IncomingMessage, limitMs: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const parts: Buffer[] = [];
  let size = 0;
  let progress = 0;
  let discard: NodeJS.Timeout | undefined;
  const slow = startDeadline(limitMs, () =>
    reject(new GatewayError('request_timeout', 'the body did not arrive in time')),
  );
  const refuse = (): void =>
    reject(new GatewayError('body_too_large', `the body is larger than ${MAX_BODY_BYTES} bytes`));
  const isTooLarge = (): boolean => discard !== undefined;
  const giveUp = (): void => {
    slow.stop();
    parts.length = 0;
    discard ??= setTimeout(refuse, DISCARD_LIMIT_MS);
  };
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) giveUp();
  request.on('data', (part: Buffer) => {
    size += part.length;
    if (size > MAX_BODY_BYTES) giveUp();
    if (isTooLarge()) return;
    parts.push(part);
    if (size - progress < PROGRESS_BYTES) return;
    progress = size;
    slow.refresh();
  });
  request.on('end', () => {
    if (isTooLarge()) refuse();
    else resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
  });
  const leave = (): void => {
    // Every request closes; an error nobody sees would still cost its stack.
    if (!request.readableEnded)
      reject(new GatewayError('client_closed', 'the client left before its request was read'));
  };
  request.on('close', leave);
  if (request.destroyed) leave(); // it left before anybody looked at the body, and nothing more will be told
  const stopClocks = (): void => {
    slow.stop();
    clearTimeout(discard);
  };
  promise.then(stopClocks, stopClocks);
  return promise;
}
