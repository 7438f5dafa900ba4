import type { IncomingMessage } from 'node:http';
import type { BodyShare } from './body-memory.ts';
import { ByteParts, startDeadline } from '#base';
import { GatewayError, toGatewayError } from '#errors';
import { paceReading } from './pace-reading.ts';

const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** A body that gains less than this in its time has stalled, even if some bytes arrive. */
const PROGRESS_BYTES = 16 * 1024;
/** Longer bodies are assembled while they arrive. */
const LONG_BYTES = 512 * 1024;
/** How long the rest of a refused body is read and discarded, so that the refusal reaches the caller. */
const DISCARD_LIMIT_MS = 2_000;

interface ReadBodyOptions {
  /** The time for each piece of progress. */
  limitMs: number;
  /** The longest accepted body; 32 MiB by default. */
  mostBytes?: number | undefined;
  /** Opens this body's share of the memory for bodies; throws if there is none. */
  openShare(announced: number): BodyShare;
}

/** Reads a whole body, never holding more than the limit or its share. */
export function readBody(
  request: IncomingMessage,
  { limitMs, mostBytes = MAX_BODY_BYTES, openShare }: ReadBodyOptions,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const intake = new Intake(mostBytes, openShare);
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
  const take = (part: Buffer): void => {
    if (!intake.add(part)) abandon();
    else if (intake.size - progress >= PROGRESS_BYTES) {
      progress = intake.size;
      slow.refresh();
    }
  };
  /** A request keeps its listeners, and all that they refer to, as long as its answer takes. */
  const stop = (): void => {
    slow.stop();
    clearTimeout(discard);
    request.off('data', take).off('end', finish).off('close', leave);
  };
  const finish = (): void => {
    stop();
    if (intake.refusal) refuse();
    else resolve(intake.take());
  };
  const leave = (): void => {
    stop();
    // Every request closes; an unused error would still cost its stack trace.
    if (!request.readableEnded)
      reject(new GatewayError('client_closed', 'the client disconnected before its request was read'));
  };
  request.on('data', take);
  paceReading(request);
  request.on('end', finish);
  request.on('close', leave);
  if (request.destroyed) leave(); // closed before the body was read: no further event follows
  return promise;
}

/** The parts of a body, dropped once it is refused. */
class Intake {
  size = 0;
  refusal: GatewayError | undefined;
  readonly #mostBytes: number;
  readonly #openShare: (announced: number) => BodyShare;
  #share: BodyShare | undefined;
  #announced = 0;
  readonly #parts = new ByteParts();
  /** Assembles a long body as it arrives: joining the parts at the end would block other requests. */
  #whole: Buffer | undefined;

  constructor(mostBytes: number, openShare: (announced: number) => BodyShare) {
    this.#mostBytes = mostBytes;
    this.#openShare = openShare;
  }

  /** Whether a body of this length is allowed. */
  announce(length: number): boolean {
    this.#announced = length;
    return this.#permit(() => {
      this.#checkSize(length);
      this.#share = this.#openShare(length);
    });
  }

  /** Adds a part; false once the body is refused. */
  add(part: Buffer): boolean {
    if (this.refusal) return false;
    this.size += part.length;
    const isPermitted = this.#permit(() => {
      this.#checkSize(this.size);
      this.#share?.take(part.length);
    });
    if (isPermitted) this.#keep(part);
    return isPermitted;
  }

  /** The body, which is not kept here. */
  take(): Buffer {
    const body = this.#whole?.subarray(0, this.size) ?? this.#parts.take();
    this.#drop();
    return body;
  }

  #drop(): void {
    this.#parts.drop();
    this.#whole = undefined;
  }

  /** Memory for the whole is taken once an eighth has arrived, so that an announced length alone takes none. */
  #keep(part: Buffer): void {
    if (this.#whole) part.copy(this.#whole, this.size - part.length);
    else this.#parts.add(part);
    if (this.#whole || this.size < LONG_BYTES || this.size < this.#announced / 8) return;
    if (this.#announced < this.size) return;
    this.#whole = Buffer.allocUnsafeSlow(this.#announced);
    this.#parts.take().copy(this.#whole);
  }

  #checkSize(bytes: number): void {
    if (bytes > this.#mostBytes)
      throw new GatewayError('body_too_large', `the body is larger than ${this.#mostBytes} bytes`);
  }

  #permit(check: () => void): boolean {
    try {
      check();
      return true;
    } catch (thrown) {
      this.refusal = toGatewayError(thrown);
      this.#drop();
      return false;
    }
  }
}
