import type { JsonObject } from '#base';
import type { ProviderOrder, VideoProgress, VideoProtocol } from '../../protocol.ts';
import { isJsonObject } from '#base';
import { toFrame } from '../frame.ts';
import { toImageUrl } from '../image-url.ts';

/** Alibaba's asynchronous tasks, at a path next to, not below, the base URL of its chat format. */
export const dashscopeProtocol: VideoProtocol = {
  pollMs: 15_000,
  create: (order, baseUrl) => ({
    method: 'POST',
    url: toUrl('/api/v1/services/aigc/video-generation/video-synthesis', baseUrl),
    headers: { 'content-type': 'application/json', 'x-dashscope-async': 'enable' },
    body: JSON.stringify(encodeBody(order)),
  }),
  readCreated: ({ output }) => {
    const id = isJsonObject(output) ? output['task_id'] : undefined;
    return typeof id === 'string' && id !== '' ? id : undefined;
  },
  poll: (id, baseUrl) => ({
    method: 'GET',
    url: toUrl(`/api/v1/tasks/${encodeURIComponent(id)}`, baseUrl),
  }),
  readProgress,
  cancel: (id, baseUrl) => ({
    method: 'POST',
    url: toUrl(`/api/v1/tasks/${encodeURIComponent(id)}/cancel`, baseUrl),
  }),
};

function toUrl(path: string, baseUrl: string): string {
  return new URL(path, baseUrl).href;
}

/** With a first image, the model takes the aspect ratio from it. */
function encodeBody({ externalId, prompt, seconds, size, audio, image }: ProviderOrder): JsonObject {
  const shape = image
    ? { resolution: toFrame(size).resolution.toUpperCase() }
    : { size: size.replace('x', '*') };
  return {
    model: externalId,
    input: { prompt, ...(image && { img_url: toImageUrl(image) }) },
    parameters: { ...shape, duration: seconds, ...(audio !== undefined && { audio }) },
  };
}

function readProgress({ output }: JsonObject): VideoProgress | undefined {
  if (!isJsonObject(output)) return undefined;
  const { task_status: status, video_url: url, code, message } = output;
  switch (status) {
    case 'PENDING':
      return { status: 'queued' };
    case 'RUNNING':
      return { status: 'in_progress' };
    case 'SUCCEEDED':
      return typeof url === 'string' ? { status: 'completed', contentUrl: url } : undefined;
    case 'FAILED':
    case 'CANCELED':
    case 'UNKNOWN':
      return {
        status: 'failed',
        error: {
          code: typeof code === 'string' ? code : 'generation_failed',
          message: typeof message === 'string' ? message : 'the provider could not generate the video',
        },
      };
    default:
      return undefined;
  }
}
