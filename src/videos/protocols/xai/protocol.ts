import type { JsonObject } from '#base';
import type { VideoProgress, VideoProtocol } from '../../protocol.ts';
import { isJsonObject } from '#base';
import { toFrame } from '../frame.ts';
import { toImageUrl } from '../image-url.ts';

/** `POST /videos/generations`, `GET /videos/{request_id}`; the bytes are at a URL in the answer. */
export const xaiProtocol: VideoProtocol = {
  pollMs: 5_000,
  create: ({ externalId, prompt, seconds, size, image }) => {
    const { aspectRatio, resolution } = toFrame(size);
    const body = {
      model: externalId,
      prompt,
      duration: seconds,
      aspect_ratio: aspectRatio,
      resolution,
      ...(image && { image: { url: toImageUrl(image) } }),
    };
    return {
      method: 'POST',
      url: '/videos/generations',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
  },
  readCreated: ({ request_id: id }) => (typeof id === 'string' && id !== '' ? id : undefined),
  poll: (id) => ({ method: 'GET', url: `/videos/${encodeURIComponent(id)}` }),
  readProgress,
};

function readProgress({ status, progress, video, code, error }: JsonObject): VideoProgress | undefined {
  const url = isJsonObject(video) ? video['url'] : undefined;
  if (typeof url === 'string') return { status: 'completed', contentUrl: url };
  if (status === 'failed' || status === 'expired') {
    const reported = isJsonObject(error) ? error['message'] : error;
    return {
      status: 'failed',
      error: {
        code: typeof code === 'string' ? code : 'generation_failed',
        message: typeof reported === 'string' ? reported : 'the provider could not generate the video',
      },
    };
  }
  if (typeof status !== 'string' || status === 'done') return undefined;
  return { status: 'in_progress', ...(typeof progress === 'number' && { progress }) };
}
