import type { JsonObject } from '#base';
import type { ProviderOrder, VideoProgress, VideoProtocol } from '../../protocol.ts';
import { isJsonObject } from '#base';
import { createParamError } from '#errors';
import { toFrame } from '../frame.ts';

/** Eight seconds of 1080p take a quarter of it. */
const MOST_INLINE_BYTES = 64 * 1024 * 1024;
const VIDEO = /^video\/[\w.+-]{1,60}$/;
const NAME = /^[\w/.-]{1,300}$/;

/** Google's long-running operations: `:predictLongRunning`, then the operation, then a file that requires the key. */
export const veoProtocol: VideoProtocol = {
  pollMs: 10_000,
  create: (order) => ({
    method: 'POST',
    url: `/models/${encodeURIComponent(order.externalId)}:predictLongRunning`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(encodeBody(order)),
  }),
  readCreated: ({ name }) => (typeof name === 'string' && NAME.test(name) ? name : undefined),
  poll: (name) => ({ method: 'GET', url: `/${name}` }),
  mostPollBytes: MOST_INLINE_BYTES,
  readProgress,
};

function encodeBody({ prompt, seconds, size, image }: ProviderOrder): JsonObject {
  if (image && 'url' in image) {
    const complaint = 'this provider does not accept URLs; send the image itself, as a file or a data URL';
    throw createParamError('input_reference', complaint, 'unsupported_feature');
  }
  const first = image && { bytesBase64Encoded: image.bytes.toString('base64'), mimeType: image.mediaType };
  return {
    instances: [{ prompt, ...(first && { image: first }) }],
    parameters: { ...toFrame(size), durationSeconds: seconds },
  };
}

function readProgress(body: JsonObject): VideoProgress | undefined {
  if (body['done'] !== true) return 'name' in body ? { status: 'in_progress' } : undefined;
  const { error, response } = body;
  if (isJsonObject(error)) return fail('generation_failed', error['message']);
  if (!isJsonObject(response)) return undefined;
  // The Gemini API wraps its answer and names its samples; Vertex does neither.
  const { generateVideoResponse: wrapped } = response;
  const answer = isJsonObject(wrapped) ? wrapped : response;
  const { generatedSamples: samples, videos = samples } = answer;
  const [first] = Array.isArray(videos) ? videos : [];
  const video = isJsonObject(first) && isJsonObject(first['video']) ? first['video'] : first;
  const reported = isJsonObject(video) ? readVideo(video) : undefined;
  if (reported) return reported;
  if (answer === response && !('raiMediaFilteredReasons' in answer)) return undefined;
  const reasons = answer['raiMediaFilteredReasons'];
  return fail(
    'content_refused',
    Array.isArray(reasons) ? reasons.filter((reason) => typeof reason === 'string').join(' ') : undefined,
  );
}

/** The address of a video, or the video itself in base64. */
function readVideo(video: JsonObject): VideoProgress | undefined {
  const { uri, encodedVideo, bytesBase64Encoded = encodedVideo, encoding, mimeType = encoding } = video;
  if (typeof uri === 'string') return { status: 'completed', contentUrl: uri };
  if (typeof bytesBase64Encoded !== 'string' || bytesBase64Encoded === '') return undefined;
  const mediaType = typeof mimeType === 'string' && VIDEO.test(mimeType) ? mimeType : 'video/mp4';
  return {
    status: 'completed',
    inline: { mediaType, bytes: Buffer.from(bytesBase64Encoded, 'base64') },
  };
}

function fail(code: string, message: unknown): VideoProgress {
  const text =
    typeof message === 'string' && message !== '' ? message : 'the provider could not generate the video';
  return { status: 'failed', error: { code, message: text } };
}
