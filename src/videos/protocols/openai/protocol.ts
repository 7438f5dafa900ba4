import type { JsonObject, JsonValue } from '#base';
import type { ProviderOrder, VideoProgress, VideoProtocol } from '../../protocol.ts';
import { randomUUID } from 'node:crypto';
import { LAST_MOMENT, isJsonObject } from '#base';

/** `POST /videos`, `GET /videos/{id}`, `GET /videos/{id}/content`: OpenAI and its resellers. */
export const openaiProtocol: VideoProtocol = {
  pollMs: 5_000,
  create: (order) => ({ method: 'POST', url: '/videos', ...encodeBody(order) }),
  readCreated: ({ id }) => (typeof id === 'string' && id !== '' ? id : undefined),
  poll: (id) => ({ method: 'GET', url: pathOf(id) }),
  readProgress: (body, id) => readProgress(body, id),
  remove: (id) => ({ method: 'DELETE', url: pathOf(id) }),
};

function pathOf(id: string): string {
  return `/videos/${encodeURIComponent(id)}`;
}

function encodeBody({ externalId, prompt, seconds, size, image }: ProviderOrder) {
  const fields = { model: externalId, prompt, seconds: String(seconds), size };
  if (!image || 'url' in image) {
    const body = { ...fields, ...(image && { input_reference: { image_url: image.url } }) };
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  }
  const boundary = `sluice-${randomUUID()}`;
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const extension = image.mediaType.slice('image/'.length);
  const file =
    `--${boundary}\r\ncontent-disposition: form-data; name="input_reference"; filename="reference.${extension}"\r\n` +
    `content-type: ${image.mediaType}\r\n\r\n`;
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([
      Buffer.from(parts.join('') + file),
      image.bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}

function readProgress(body: JsonObject, id: string): VideoProgress | undefined {
  const { status, progress, expires_at: expiresAt, error } = body;
  if (typeof status !== 'string') return undefined;
  if (status === 'completed') {
    return {
      status,
      contentUrl: `${pathOf(id)}/content`,
      ...(isMoment(expiresAt) && { expiresAt: expiresAt * 1_000 }),
    };
  }
  if (['failed', 'cancelled', 'canceled', 'expired'].includes(status)) {
    const { code, message } = isJsonObject(error) ? error : {};
    return {
      status: 'failed',
      error: {
        code: typeof code === 'string' ? code : 'generation_failed',
        message: typeof message === 'string' ? message : 'the provider could not generate the video',
      },
    };
  }
  return {
    status: status === 'queued' ? 'queued' : 'in_progress',
    ...(typeof progress === 'number' && { progress }),
  };
}

/** A number beyond the largest date is not a time in seconds. */
function isMoment(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && value > 0 && value * 1000 <= LAST_MOMENT;
}
