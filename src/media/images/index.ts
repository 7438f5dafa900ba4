import type { MediaTask, Medium } from '../contract.ts';
import type { ImageRequest } from './request.ts';
import { estimateTokens } from '#canonical';
import { createOpener } from '../medium.ts';
import { boundImages, estimateImages } from './bound.ts';
import { openGoogleExchange } from './google.ts';
import { openImagenExchange } from './imagen.ts';
import { openOpenaiExchange } from './openai.ts';
import {
  decodeEdit,
  decodeGeneration,
  imageEditsRequestSchema,
  imagesRequestSchema,
  imagesResponseSchema,
} from './request.ts';

/** Images from a text. */
export const images: Medium = {
  operation: 'images',
  path: '/v1/images/generations',
  body: imagesRequestSchema,
  answer: imagesResponseSchema,
  intake: 'json',
  decode: (input) => toTask(decodeGeneration(input)),
};

/** Images from a text and other images. */
export const imageEdits: Medium = {
  operation: 'images',
  path: '/v1/images/edits',
  body: imageEditsRequestSchema,
  answer: imagesResponseSchema,
  intake: 'either',
  decode: (input) => toTask(decodeEdit(input)),
};

function toTask(request: ImageRequest): MediaTask {
  const { model, prompt, stream = false } = request.fields;
  return {
    operation: 'images',
    model,
    stream,
    inputEstimate: estimateTokens(Buffer.byteLength(prompt)),
    isReplayable: false,
    isSlow: true,
    bound: (mapping) => boundImages(request, mapping),
    estimate: (mapping) => estimateImages(request, mapping),
    openExchange: createOpener('images', request, {
      openai: openOpenaiExchange,
      google: openGoogleExchange,
      imagen: openImagenExchange,
    }),
  };
}
