import type { Mapping } from '#catalogue';
import type { MediaExchange, Medium } from './contract.ts';
import type { ValidatedBody } from './request-body.ts';
import { estimateTokens } from '#canonical';
import { Type } from 'typebox';
import { createOpener } from './medium.ts';
import { createGarbled, decodeFailure, decodingJson, forwardBody, toJsonResult } from './openai-exchange.ts';
import { createQuantity, readInputTokens } from './quantity.ts';
import { createValidator, serviceTier } from './request-body.ts';

/** Each one is a separate call inside the provider; OpenAI documents no limit. */
const MOST_INPUTS = 10_000;

const part = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({ type: Type.Literal('image_url'), image_url: Type.Object({ url: Type.String() }) }),
]);

/** `POST /v1/moderations`. */
const moderationsRequestSchema = Type.Object(
  {
    model: Type.Optional(Type.String({ minLength: 1 })),
    input: Type.Union([
      Type.String(),
      Type.Array(Type.String(), { minItems: 1, maxItems: MOST_INPUTS }),
      Type.Array(part, { minItems: 1, maxItems: MOST_INPUTS }),
    ]),
    service_tier: serviceTier,
  },
  { title: 'ModerationsRequest', additionalProperties: true },
);

/** The answer. */
const moderationsResponseSchema = Type.Object(
  {
    id: Type.String(),
    model: Type.String(),
    results: Type.Array(
      Type.Object(
        {
          flagged: Type.Boolean(),
          categories: Type.Record(Type.String(), Type.Boolean()),
          category_scores: Type.Record(Type.String(), Type.Number()),
        },
        { additionalProperties: true },
      ),
    ),
  },
  { title: 'ModerationsResponse', additionalProperties: true },
);

type ModerationsRequest = ValidatedBody<typeof moderationsRequestSchema> & { model: string };

/** OpenAI's own default. */
const USUAL_MODEL = 'omni-moderation-latest';

const validate = createValidator(moderationsRequestSchema);

function decodeRequest(input: Parameters<typeof validate>[0]): ModerationsRequest {
  const request = validate(input);
  return { ...request, model: request.model ?? USUAL_MODEL };
}

const FRAME_TOKENS = 64;
/** More than any provider charges for one image. */
const MOST_IMAGE_TOKENS = 8_192;

/** Bytes of text, and images. */
interface Size {
  bytes: number;
  images: number;
}

function measureInput({ input }: ModerationsRequest): Size {
  const size: Size = { bytes: 0, images: 0 };
  for (const item of typeof input === 'string' ? [input] : input) {
    if (typeof item === 'string') size.bytes += Buffer.byteLength(item);
    else if (item.type === 'text') size.bytes += Buffer.byteLength(item.text);
    else size.images += 1;
  }
  return size;
}

/** Counts every byte as a token, and images at their maximum. */
function boundInput({ bytes, images }: Size): number {
  return bytes + images * MOST_IMAGE_TOKENS + FRAME_TOKENS;
}

function openOpenaiExchange(request: ModerationsRequest, mapping: Mapping): MediaExchange {
  const { model } = request;
  return {
    path: '/moderations',
    headers: {},
    body: forwardBody(request, mapping),
    decodeFailure,
    answer: decodingJson((body) =>
      Array.isArray(body['results'])
        ? toJsonResult({ ...body, model }, readInputTokens(body))
        : createGarbled({ bytes: Buffer.from(JSON.stringify(body)) }),
    ),
  };
}

/** Whether texts and images are harmful. */
export const moderations: Medium = {
  operation: 'moderations',
  path: '/v1/moderations',
  body: moderationsRequestSchema,
  answer: moderationsResponseSchema,
  intake: 'json',
  decode: (input) => {
    const request = decodeRequest(input);
    const size = measureInput(request);
    const inputEstimate = estimateTokens(size.bytes);
    return {
      operation: 'moderations',
      model: request.model,
      stream: false,
      inputEstimate,
      isReplayable: true,
      isSlow: false,
      bound: () => createQuantity({ inputUncached: boundInput(size) }),
      estimate: () => createQuantity({ inputUncached: inputEstimate }),
      openExchange: createOpener('moderations', request, { openai: openOpenaiExchange }),
    };
  },
};
