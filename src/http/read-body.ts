import type { IncomingMessage } from 'node:http';
import type { BodyShare } from './body-memory.ts';
import { startDeadline } from '#base';
import { GatewayError, toGatewayError } from '#errors';

const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** A body that brings less than this in its time has stopped, however often it drips. */
const PROGRESS_BYTES = 16 * 1024;
/** How long the rest of a refused body is read and thrown away, so that the refusal reaches the caller. */
const DISCARD_LIMIT_MS = 2_000;

interface ReadBodyOptions {
  /** The time for each piece of progress. */
  limitMs: number;
  /** Opens the part of the memory for bodies that this one takes; throws where there is none. */
  openShare(announced: number): BodyShare;
}

/** Reads a whole body, never keeping more than the limit, nor more than its share. */
export function readBody(request: IncomingMessage, { limitMs, openShare }: ReadBodyOptions): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const intake = new Intake(openShare);
  let progress = 0;
  let discard: NodeJS.Timeout | undefined;
  const slow = startDeadline(limitMs, () =>
    reject(new GatewayError('request_timeout', 'the body did not arrive in time')),
  );
  const refuse = (): void => reject(intake.refusal);
  const giveUp = (): void => {
    slow.stop();
    discard ??= setTimeout(refuse, DISCARD_LIMIT_MS);
  };
  if (!intake.announce(Number(request.headers['content-length'] ?? 0))) giveUp();
  request.on('data', (part: Buffer) => {
    if (!intake.add(part)) giveUp();
    else if (intake.size - progress >= PROGRESS_BYTES) {
      progress = intake.size;
      slow.refresh();
    }
  });
  request.on('end', () => {
    if (intake.refusal) refuse();
    else resolve(intake.join());
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

/** The parts of a body, until it is refused: then none is kept. */
class Intake {
  size = 0;
  refusal: GatewayError | undefined;
  readonly #openShare: (announced: number) => BodyShare;
  #share: BodyShare | undefined;
  #parts: Buffer[] = [];

  constructor(openShare: (announced: number) => BodyShare) {
    this.#openShare = openShare;
  }

  /** Whether a body of this length may come. */
  announce(length: number): boolean {
    return this.#permit(() => {
      checkSize(length);
      this.#share = this.#openShare(length);
    });
  }

  /** Keeps a part; false once the body is refused. */
  add(part: Buffer): boolean {
    if (this.refusal) return false;
    this.size += part.length;
    const isPermitted = this.#permit(() => {
      checkSize(this.size);
      this.#share?.take(part.length);
    });
    if (isPermitted) this.#parts.push(part);
    return isPermitted;
  }

  join(): Buffer {
    const [only] = this.#parts;
    return this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts);
  }

  #permit(check: () => void): boolean {
    try {
      check();
      return true;
    } catch (thrown) {
      this.refusal = toGatewayError(thrown);
      this.#parts = [];
      return false;
    }
  }
}

function checkSize(bytes: number): void {
  if (bytes > MAX_BODY_BYTES)
    throw new GatewayError('body_too_large', `the body is larger than ${MAX_BODY_BYTES} bytes`);
}
