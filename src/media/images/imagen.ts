import type { Mapping } from '#catalogue';
import type { MediaExchange } from '../contract.ts';
import type { ImageRequest } from './request.ts';
import { isJsonObject, systemClock } from '#base';
import { refuseUnsupported } from '#wire';
import { createEmptyFailure, decodeGeminiFailure } from '../google-exchange.ts';
import { decodingJson } from '../openai-exchange.ts';
import { encodeImages, refuseOpenaiOnly } from './answer.ts';
import { toShape } from './aspect-ratio.ts';
import { readImageUsage } from './usage.ts';

const MOST_SAMPLES = 4;

/** Google's Imagen: `predict`, charged by the image. */
export function openImagenExchange(request: ImageRequest, mapping: Mapping): MediaExchange {
  refuseOpenaiOnly(request);
  if (request.endpoint === 'edits') refuseUnsupported('image', 'this model generates images from text only');
  const { n = 1, prompt, size } = request.fields;
  if (n > MOST_SAMPLES)
    refuseUnsupported('n', `this model generates at most ${MOST_SAMPLES} images at a time`);
  const { aspectRatio, imageSize } = toShape(size);
  return {
    path: `/models/${encodeURIComponent(mapping.externalId)}:predict`,
    headers: {},
    body: {
      instances: [{ prompt }],
      parameters: {
        sampleCount: n,
        ...(aspectRatio !== undefined && { aspectRatio }),
        ...(imageSize !== undefined && { sampleImageSize: imageSize }),
      },
    },
    decodeFailure: decodeGeminiFailure,
    answer: decodingJson((body) => {
      const predictions = Array.isArray(body['predictions']) ? body['predictions'].filter(isJsonObject) : [];
      const images = predictions.flatMap(({ bytesBase64Encoded: image }) =>
        typeof image === 'string' ? [image] : [],
      );
      if (images.length === 0)
        return createEmptyFailure({ ...body, promptFeedback: { blockReason: 'SAFETY' } });
      const reported = readImageUsage(request, mapping, { usage: undefined, images: images.length });
      return encodeImages(images, reported, Math.floor(systemClock.now() / 1_000));
    }),
  };
}
