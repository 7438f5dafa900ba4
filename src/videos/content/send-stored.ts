import type { VideoJob } from '../jobs/video-job.ts';
import type { ContentReply, ContentRequest } from './content-reply.ts';
import { GatewayError } from '#errors';
import { SAFETY, nameFile } from './safety.ts';
import { PART_BYTES, type StoredContent, type StoredVideo } from './stored-content.ts';

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/** The bytes from `start` up to `end`, which is not sent any more. */
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

/** Sends a video that is kept here, part by part, as fast as it is read. */
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
  if (!request.isHead && !first) throw new GatewayError('content_expired', 'this video is kept no longer');
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

/** Any of a list, weak or not: the comparison that RFC 9110 has for `If-None-Match`. */
function isMatch(header: string | string[] | undefined, etag: string): boolean {
  const tags = typeof header === 'string' ? header.split(',').map((tag) => tag.trim()) : [];
  return tags.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

const toPart = (place: number): number => Math.floor(place / PART_BYTES);

/** What is no single range is the whole; a range beyond the end is refused. */
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
    // Nobody may take what broke off for the whole.
    if (!piece || piece.length === 0 || !(await send(reply, piece, idleMs))) {
      reply.drop();
      return;
    }
    place += piece.length;
  }
  reply.end('');
}

/** Gives whether the caller took the bytes in time. */
function send(reply: ContentReply, piece: Buffer, idleMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const clock = setTimeout(() => resolve(false), idleMs);
  reply.onGone(() => resolve(false));
  reply.write(piece, () => resolve(true));
  return promise.finally(() => clearTimeout(clock));
}
