import type { JsonObject } from '#base';
import type { MediaResult, Quantity } from '../contract.ts';
import type { ImageRequest } from './request.ts';
import { inputTokensOf, outputTokensOf } from '#canonical';
import { refuseUnsupported } from '#wire';
import { toJsonResult } from '../openai-exchange.ts';

/** Refuses options of OpenAI's form that providers returning the images themselves do not support. */
export function refuseOpenaiOnly({ fields }: ImageRequest): void {
  if (fields.stream) refuseUnsupported('stream', 'this model cannot stream images');
  if (fields.response_format === 'url')
    refuseUnsupported('response_format', 'this model only returns b64_json');
}

/** Encodes images in OpenAI's form. */
export function encodeImages(
  images: readonly string[],
  reported: Quantity | undefined,
  createdSeconds: number,
): MediaResult {
  const body: JsonObject = {
    created: createdSeconds,
    data: images.map((image) => ({ b64_json: image })),
    ...(reported && reported.units.length === 0 && { usage: describeUsage(reported) }),
  };
  return toJsonResult(body, reported);
}

function describeUsage({ usage }: Quantity): JsonObject {
  const [input, output] = [inputTokensOf(usage), outputTokensOf(usage)];
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: { text_tokens: input - usage.inputImage, image_tokens: usage.inputImage },
  };
}
