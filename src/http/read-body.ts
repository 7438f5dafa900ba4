import type { IncomingMessage } from 'node:http';
import type { BodyShare } from './body-memory.ts';
import { startDeadline } from '#base';
import { GatewayError, toGatewayError } from '#errors';

const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** A body that brings less than this in its time has stopped, however often it drips. */
const PROGRESS_BYTES = 16 * 1024;
/** A body from here on is put together while it comes. */
const LONG_BYTES = 512 * 1024;
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
  const abandon = (): void => {
    slow.stop();
    discard ??= setTimeout(refuse, DISCARD_LIMIT_MS);
  };
  if (!intake.announce(Number(request.headers['content-length'] ?? 0))) abandon();
  request.on('data', (part: Buffer) => {
    if (!intake.add(part)) abandon();
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
  #announced = 0;
  #parts: Buffer[] = [];
  /** Where the parts of a long body are put as they come: joining them at its end would keep all others waiting. */
  #whole: Buffer | undefined;

  constructor(openShare: (announced: number) => BodyShare) {
    this.#openShare = openShare;
  }

  /** Whether a body of this length may come. */
  announce(length: number): boolean {
    this.#announced = length;
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
    if (isPermitted) this.#keep(part);
    return isPermitted;
  }

  join(): Buffer {
    if (this.#whole) return this.#whole.subarray(0, this.size);
    const [only] = this.#parts;
    return this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts);
  }

  /** Room for all of it is taken when an eighth has come, so that an announcement alone takes none. */
  #keep(part: Buffer): void {
    if (this.#whole) part.copy(this.#whole, this.size - part.length);
    else this.#parts.push(part);
    if (this.#whole || this.size < LONG_BYTES || this.size < this.#announced / 8) return;
    if (this.#announced < this.size) return;
    this.#whole = Buffer.allocUnsafeSlow(this.#announced);
    let at = 0;
    for (const earlier of this.#parts) at += earlier.copy(this.#whole, at);
    this.#parts = [];
  }

  #permit(check: () => void): boolean {
    try {
      check();
      return true;
    } catch (thrown) {
      this.refusal = toGatewayError(thrown);
      this.#parts = [];
      this.#whole = undefined;
      return false;
    }
  }
}

function checkSize(bytes: number): void {
  if (bytes > MAX_BODY_BYTES)
    throw new GatewayError('body_too_large', `the body is larger than ${MAX_BODY_BYTES} bytes`);
}
