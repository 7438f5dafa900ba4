import type { VideoJob } from '../jobs/video-job.ts';
import type { ContentReply, ContentRequest } from './content-reply.ts';
import { GatewayError } from '#errors';
import { SAFETY, nameFile } from './safety.ts';
import { PART_BYTES, type StoredContent, type StoredVideo } from './stored-content.ts';

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/** The bytes from `start` up to, but not including, `end`. */
interface Span {
  start: number;
  end: number;
  isPart: boolean;
}

interface Sending {
  job: VideoJob;
  video: StoredVideo;
  request: ContentRequest;
  idleMs: number;
}

/** Sends a stored video part by part, as fast as it is read. */
export async function sendStored(content: StoredContent, sending: Sending): Promise<void> {
  const { job, video, request } = sending;
  const { reply, headers } = request;
  const etag = `"${job.id}"`;
  if (isMatch(headers['if-none-match'], etag)) {
    reply.begin(304, { ...SAFETY, etag });
    reply.end('');
    return;
  }
  const ifRange = headers['if-range'];
  const range = ifRange === undefined || ifRange === etag ? headers['range'] : undefined;
  const span = chooseSpan(range, video.size, reply);
  const first = request.isHead ? undefined : await content.readPart(job.id, job, toPart(span.start));
  if (!request.isHead && !first) throw new GatewayError('content_expired', 'this video is no longer stored');
  reply.begin(span.isPart ? 206 : 200, {
    ...SAFETY,
    ...nameFile(job.id, video.mediaType),
    etag,
    'accept-ranges': 'bytes',
    'content-length': String(span.end - span.start),
    ...(span.isPart && { 'content-range': `bytes ${span.start}-${span.end - 1}/${video.size}` }),
  });
  if (request.isHead) reply.end('');
  else await sendParts(content, sending, span);
}

/** Whether any ETag of a list matches, weak or not: the comparison of RFC 9110 for `If-None-Match`. */
function isMatch(header: string | string[] | undefined, etag: string): boolean {
  const tags = typeof header === 'string' ? header.split(',').map((tag) => tag.trim()) : [];
  return tags.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

const toPart = (place: number): number => Math.floor(place / PART_BYTES);

/** Anything but a single range selects the whole; a range beyond the end is refused. */
function chooseSpan(range: string | string[] | undefined, size: number, reply: ContentReply): Span {
  const [, from = '', to = ''] = ONE_RANGE.exec(typeof range === 'string' ? range.trim() : '') ?? [];
  if (from === '' && to === '') return { start: 0, end: size, isPart: false };
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  if (start < end) return { start, end, isPart: true };
  reply.addHeader('content-range', `bytes */${size}`);
  throw new GatewayError('range_not_satisfiable', 'the video does not have the bytes of this range');
}

async function sendParts(
  content: StoredContent,
  { job, request, idleMs }: Sending,
  span: Span,
): Promise<void> {
  const { reply } = request;
  for (let place = span.start; place < span.end && !reply.isOver;) {
    const part = await content.readPart(job.id, job, toPart(place)).catch(() => undefined);
    const from = place % PART_BYTES;
    const piece = part?.subarray(from, from + span.end - place);
    // A truncated answer must not pass for the whole.
    if (!piece || piece.length === 0 || !(await send(reply, piece, idleMs))) {
      reply.drop();
      return;
    }
    place += piece.length;
  }
  reply.end('');
}

/** Returns whether the caller read the bytes in time. */
function send(reply: ContentReply, piece: Buffer, idleMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const clock = setTimeout(() => resolve(false), idleMs);
  reply.onGone(() => resolve(false));
  reply.write(piece, () => resolve(true));
  return promise.finally(() => clearTimeout(clock));
}
