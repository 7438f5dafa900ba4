import type { HttpHeaders } from '#base';
import type { UpstreamFailure } from '#errors';
import type { AnswerSink, UpstreamCall } from '#providers';
import type { VideoJob } from '../jobs/video-job.ts';
import type { ContentTimeouts, VideoProvider } from '../video-provider.ts';
import type { ContentReply, ContentRequest } from './content-reply.ts';
import { GatewayError, toCallerError } from '#errors';
import { SAFETY, nameFile } from './safety.ts';

const MOST_BYTES = 8 * 1024 ** 3;

/** A single range; a provider answers several with multipart, which is not a video. */
const ONE_RANGE = /^bytes=(\d+-\d*|-\d+)$/;
const CONDITIONS = ['if-none-match', 'if-modified-since', 'if-range'] as const;
const PASSED_ON = ['content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'] as const;

/**
 * Streams a video from its provider, as fast as it is read. Throws GatewayError if nothing was sent yet; a later
 * failure closes the connection, so that a part does not pass for the whole.
 */
export function streamContent(
  provider: VideoProvider,
  job: VideoJob & { contentUrl: string },
  { request, timeouts }: { request: ContentRequest; timeouts: ContentTimeouts },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const flow = new ContentFlow({ job, request, timeouts }, { done: () => resolve(undefined), fail: reject });
  flow.begin(provider.openContent(job.contentUrl, selectHeaders(request.headers), flow));
  return promise;
}

function selectHeaders(headers: HttpHeaders): Record<string, string> {
  const selected: Record<string, string> = {};
  const { range } = headers;
  if (typeof range === 'string' && ONE_RANGE.test(range.trim())) selected['range'] = range.trim();
  for (const name of CONDITIONS) {
    const value = headers[name];
    if (typeof value === 'string' && value.length < 1_000) selected[name] = value;
  }
  return selected;
}

interface FlowOptions {
  job: VideoJob;
  request: ContentRequest;
  timeouts: ContentTimeouts;
}

interface Ending {
  done(): void;
  fail(error: GatewayError): void;
}

/** The bytes of one answer from a provider to a caller. */
class ContentFlow implements AnswerSink {
  readonly #job: VideoJob;
  readonly #reply: ContentReply;
  readonly #isHead: boolean;
  readonly #ending: Ending;
  readonly #idleMs: number;
  #call: UpstreamCall | undefined;
  #clock: NodeJS.Timeout;
  #hasBegun = false;
  #isOver = false;
  #bytes = 0;

  constructor({ job, request: { reply, isHead }, timeouts }: FlowOptions, ending: Ending) {
    this.#job = job;
    this.#idleMs = timeouts.idleMs;
    this.#reply = reply;
    this.#isHead = isHead;
    this.#ending = ending;
    const tooLate = new GatewayError('upstream_timed_out', 'the provider did not answer in time');
    this.#clock = setTimeout(() => this.#fail(tooLate), timeouts.firstEventMs);
  }

  begin(call: UpstreamCall): void {
    this.#call = call;
    this.#reply.onGone(() => this.#finish());
    if (this.#isOver) call.abort();
  }

  onHead(status: number, headers: HttpHeaders): void {
    const refusal = judge(status, headers, this.#job);
    if (refusal) {
      const range = headers['content-range'];
      if (status === 416 && typeof range === 'string') this.#reply.addHeader('content-range', range);
      this.#fail(refusal);
      return;
    }
    clearTimeout(this.#clock);
    this.#clock = setTimeout(() => this.#finish(true), this.#idleMs);
    this.#hasBegun = true;
    this.#reply.begin(status, toHeaders(status, headers, this.#job));
    if (this.#isHead || status === 304) {
      this.#reply.end('');
      this.#finish();
    }
  }

  onData(bytes: Buffer): void {
    // undici calls with an empty buffer whenever it resumes.
    if (this.#isOver || bytes.length === 0) return;
    this.#clock.refresh();
    this.#bytes += bytes.length;
    if (this.#bytes > MOST_BYTES) this.#finish(true);
    else {
      this.#call?.pause();
      this.#reply.write(bytes, () => this.#release(bytes));
    }
  }

  /** The bytes have been sent, and only now is more read: a stalled caller holds one piece in memory. */
  #release(bytes: Buffer): void {
    release(bytes);
    if (this.#isOver) return;
    this.#clock.refresh();
    this.#call?.resume();
  }

  onEnd(): void {
    if (this.#isOver) return;
    this.#reply.end('');
    this.#finish();
  }

  onFailure(failure: UpstreamFailure): void {
    if (this.#hasBegun) this.#finish(true);
    else this.#fail(toCallerError(failure));
  }

  #fail(error: GatewayError): void {
    if (this.#isOver) return;
    this.#finish();
    this.#ending.fail(error);
  }

  /** Ends both sides; a caller with an incomplete answer is disconnected. */
  #finish(isBroken = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#clock);
    this.#call?.abort();
    if (isBroken) this.#reply.drop();
    if (this.#hasBegun || isBroken || this.#reply.isOver) this.#ending.done();
  }
}

/**
 * Frees the memory of sent bytes at once: a hundred readers go through gigabytes of buffers in a minute, and the
 * garbage collector does not account for their size. Left alone are buffers that share their memory with others, and
 * the empty buffer that undici shares.
 */
function release({ buffer, byteLength }: Buffer): void {
  const isWhole = byteLength > 0 && buffer.byteLength === byteLength;
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Why an answer cannot be passed on; absent if it can. */
function judge(status: number, headers: HttpHeaders, { providerId }: VideoJob): GatewayError | undefined {
  const detail = `provider ${providerId} answered the content with ${status}`;
  if (status === 200 || status === 206) {
    const type = String(headers['content-type'] ?? '');
    const isVideo = /^video\/[\w.+-]+\s*(;|$)/i.test(type) && headers['content-encoding'] === undefined;
    return isVideo
      ? undefined
      : new GatewayError('upstream_garbled', 'the provider returned something that is not a video', {
          detail: `${detail} ${type.slice(0, 100)}`,
        });
  }
  if (status === 304) return undefined;
  if (status === 416)
    return new GatewayError('range_not_satisfiable', 'the video does not have the bytes of this range');
  if (status === 404 || status === 410 || status === 403)
    return new GatewayError('content_expired', 'the provider no longer stores this video', { detail });
  if (status === 429)
    return new GatewayError('upstream_rate_limited', 'the provider limits the rate', {
      retryAfterSeconds: 5,
      detail,
    });
  if (status === 401)
    return new GatewayError('upstream_credential_refused', 'the provider refused the gateway’s credential', {
      detail,
    });
  return new GatewayError('upstream_broken', 'the provider did not return the video', { detail });
}

function toHeaders(status: number, headers: HttpHeaders, { id }: VideoJob): Record<string, string> {
  const passed: Record<string, string> = { ...SAFETY };
  for (const name of PASSED_ON) {
    const value = headers[name];
    if (typeof value === 'string') passed[name] = value;
  }
  if (status === 304) {
    delete passed['content-length'];
    return passed;
  }
  return { ...passed, ...nameFile(id, String(headers['content-type'])) };
}
