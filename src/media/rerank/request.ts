import { Type } from 'typebox';
import { type Judged, createJudge } from '../request-body.ts';

const MOST_DOCUMENTS = 10_000;
const documentSchema = Type.Union([
  Type.String(),
  Type.Object({ text: Type.String() }, { additionalProperties: true }),
]);

/** `POST /v1/rerank`. */
export const rerankRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    query: Type.String({ minLength: 1 }),
    documents: Type.Array(documentSchema, { minItems: 1, maxItems: MOST_DOCUMENTS }),
    top_n: Type.Optional(Type.Integer({ minimum: 1 })),
    return_documents: Type.Optional(Type.Boolean()),
    max_tokens_per_doc: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: true },
);

const count = Type.Integer({ minimum: 0 });

/** The answer: the most relevant first. */
export const rerankResponseSchema = Type.Object({
  id: Type.Optional(Type.String()),
  model: Type.String(),
  results: Type.Array(
    Type.Object({
      index: count,
      relevance_score: Type.Number(),
      document: Type.Optional(Type.Object({ text: Type.String() })),
    }),
  ),
  usage: Type.Optional(
    Type.Object({ search_units: Type.Optional(count), total_tokens: Type.Optional(count) }),
  ),
});

export type RerankRequest = Judged<typeof rerankRequestSchema>;

export const decodeRequest = createJudge(rerankRequestSchema);

export function textsOf({ documents }: RerankRequest): string[] {
  return documents.map((document) => (typeof document === 'string' ? document : document.text));
}
