import type { JsonObject } from '#base';
import type { MediaResult, Quantity } from '../contract.ts';
import type { ImageRequest } from './request.ts';
import { inputTokensOf, outputTokensOf } from '#canonical';
import { toJsonResult } from '../openai-exchange.ts';
import { refuseFeature } from '../request-body.ts';

/** Refuses what only OpenAI's form of images can say, for providers that answer with the images themselves. */
export function refuseOpenaiOnly({ fields }: ImageRequest): void {
  if (fields.stream) refuseFeature('stream', 'this model makes images as a whole');
  if (fields.response_format === 'url') refuseFeature('response_format', 'this model answers with b64_json');
}

/** Images as OpenAI's form tells them. */
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
