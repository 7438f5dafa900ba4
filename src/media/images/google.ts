import type { JsonObject } from '#base';
import type { Mapping } from '#catalogue';
import type { MediaExchange } from '../contract.ts';
import type { ImageRequest } from './request.ts';
import { systemClock } from '#base';
import { normalizeMediaType, refuseUnsupported } from '#wire';
import {
  createEmptyFailure,
  decodeGeminiFailure,
  listInlineData,
  readGoogleUsage,
} from '../google-exchange.ts';
import { decodingJson } from '../openai-exchange.ts';
import { encodeImages, refuseOpenaiOnly } from './answer.ts';
import { toShape } from './aspect-ratio.ts';

/** Gemini models that generate images: `generateContent`. */
export function openGoogleExchange(request: ImageRequest, { externalId }: Mapping): MediaExchange {
  refuseOpenaiOnly(request);
  const { n = 1, prompt, size } = request.fields;
  if (n > 1) refuseUnsupported('n', 'this model generates one image at a time');
  const shape = toShape(size);
  return {
    path: `/models/${encodeURIComponent(externalId)}:generateContent`,
    headers: {},
    body: {
      contents: [{ role: 'user', parts: [{ text: prompt }, ...listImages(request)] }],
      generationConfig: {
        responseModalities: ['IMAGE'],
        ...(shape.aspectRatio !== undefined && { imageConfig: { ...shape } }),
      },
    },
    decodeFailure: decodeGeminiFailure,
    answer: decodingJson((body) => {
      const images = listInlineData(body).map(({ data }) => data);
      if (images.length === 0) return createEmptyFailure(body);
      return encodeImages(images, readGoogleUsage(body), Math.floor(systemClock.now() / 1_000));
    }),
  };
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+);base64,([\w+/=-]+)$/;

function listImages({ files, fields }: ImageRequest): JsonObject[] {
  if (files.has('mask')) return refuseUnsupported('mask', 'this model accepts no mask');
  const inline = (mimeType: string, data: string): JsonObject => ({
    inlineData: { mimeType: normalizeMediaType(mimeType), data },
  });
  const uploaded = files.get('image') ?? [];
  if (uploaded.length > 0)
    return uploaded.map(({ contentType, bytes }) => inline(contentType, bytes.toString('base64')));
  return (fields.images ?? []).map(({ image_url: url = '' }, index) => {
    const [, type, data] = DATA_URL.exec(url) ?? [];
    if (type === undefined || data === undefined)
      return refuseUnsupported(`images[${index}]`, 'this model accepts images as data: URLs or files');
    return inline(type, data);
  });
}
