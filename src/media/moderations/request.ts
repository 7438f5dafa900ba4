import { Type } from 'typebox';
import { type Judged, createJudge } from '../request-body.ts';

/** Each one is a separate call inside the provider; OpenAI documents no limit. */
const MOST_INPUTS = 10_000;

const part = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({ type: Type.Literal('image_url'), image_url: Type.Object({ url: Type.String() }) }),
]);

/** `POST /v1/moderations`. */
export const moderationsRequestSchema = Type.Object(
  {
    model: Type.Optional(Type.String({ minLength: 1 })),
    input: Type.Union([
      Type.String(),
      Type.Array(Type.String(), { minItems: 1, maxItems: MOST_INPUTS }),
      Type.Array(part, { minItems: 1, maxItems: MOST_INPUTS }),
    ]),
  },
  { additionalProperties: true },
);

/** The answer. */
export const moderationsResponseSchema = Type.Object(
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
  { additionalProperties: true },
);

export type ModerationsRequest = Judged<typeof moderationsRequestSchema> & { model: string };

/** OpenAI's own default. */
const USUAL_MODEL = 'omni-moderation-latest';

const judge = createJudge(moderationsRequestSchema);

export function decodeRequest(input: Parameters<typeof judge>[0]): ModerationsRequest {
  const request = judge(input);
  return { ...request, model: request.model ?? USUAL_MODEL };
}
