import type { JsonObject } from '#base';
import type { ProviderOrder, VideoProgress, VideoProtocol } from '../../protocol.ts';
import { isJsonObject } from '#base';
import { GatewayError } from '#errors';
import { toFrame } from '../frame.ts';

const NAME = /^[\w/.-]{1,300}$/;

/** Google's long-running operations: `:predictLongRunning`, then the operation, then a file that wants the key. */
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
  readProgress,
};

function encodeBody({ prompt, seconds, size, image }: ProviderOrder): JsonObject {
  if (image && 'url' in image) {
    throw new GatewayError(
      'unsupported_feature',
      'input_reference: this provider takes no address; send the image itself, as a file or a data URL',
      { param: 'input_reference' },
    );
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
  const answer = isJsonObject(response) ? response['generateVideoResponse'] : undefined;
  if (!isJsonObject(answer)) return undefined;
  const samples = answer['generatedSamples'];
  const sample = Array.isArray(samples) ? samples[0] : undefined;
  const video = isJsonObject(sample) ? sample['video'] : undefined;
  const uri = isJsonObject(video) ? video['uri'] : undefined;
  if (typeof uri === 'string') return { status: 'completed', contentUrl: uri };
  const reasons = answer['raiMediaFilteredReasons'];
  return fail(
    'content_refused',
    Array.isArray(reasons) ? reasons.filter((reason) => typeof reason === 'string').join(' ') : undefined,
  );
}

function fail(code: string, message: unknown): VideoProgress {
  const text =
    typeof message === 'string' && message !== '' ? message : 'the provider could not make the video';
  return { status: 'failed', error: { code, message: text } };
}
