import { type Static, Type } from 'typebox';
import { anyObject, open } from '../../body/schema-parts.ts';
import { type GeminiFunctionCall, content } from '../schema.ts';

const count = Type.Optional(Type.Integer());
const text = Type.Optional(Type.String());
const optionalObject = Type.Optional(anyObject);

const tokenDetails = Type.Optional(
  Type.Array(Type.Object({ modality: Type.String(), tokenCount: Type.Integer() }, open)),
);
const usage = Type.Object(
  {
    promptTokenCount: Type.Integer(),
    candidatesTokenCount: Type.Integer(),
    totalTokenCount: Type.Integer(),
    cachedContentTokenCount: count,
    thoughtsTokenCount: count,
    toolUsePromptTokenCount: count,
    promptTokensDetails: tokenDetails,
    cacheTokensDetails: tokenDetails,
    candidatesTokensDetails: tokenDetails,
    serviceTier: text,
  },
  open,
);
const page = Type.Object({ uri: text, title: text }, open);
const groundingChunk = Type.Object(
  {
    web: Type.Optional(page),
    retrievedContext: Type.Optional(page),
    image: optionalObject,
    maps: optionalObject,
  },
  open,
);
const grounding = Type.Object(
  {
    groundingChunks: Type.Optional(Type.Array(groundingChunk)),
    webSearchQueries: Type.Optional(Type.Array(Type.String())),
    imageSearchQueries: Type.Optional(Type.Array(Type.String())),
  },
  open,
);
const candidate = Type.Object(
  {
    content,
    finishReason: text,
    finishMessage: text,
    groundingMetadata: Type.Optional(grounding),
    index: Type.Integer(),
  },
  open,
);

/** The answer of `generateContent`, and each event of `streamGenerateContent`; `totalTokens` answers `countTokens`. */
export const geminiResponseSchema = Type.Object(
  {
    candidates: Type.Optional(Type.Array(candidate)),
    promptFeedback: Type.Optional(Type.Object({ blockReason: text }, open)),
    usageMetadata: Type.Optional(usage),
    modelVersion: text,
    responseId: text,
    totalTokens: count,
  },
  { ...open, title: 'GeminiResponse' },
);

/** The error body of Google's APIs. */
export const geminiErrorSchema = Type.Object(
  {
    error: Type.Object({
      code: Type.Integer(),
      message: Type.String(),
      status: Type.String(),
      details: Type.Array(Type.Object({}, open)),
    }),
  },
  { title: 'GeminiError' },
);

export type GeminiAnswer = Static<typeof geminiResponseSchema>;
export type GeminiFeedback = GeminiAnswer['promptFeedback'];
export type GeminiCandidate = Static<typeof candidate>;
export type GeminiUsage = Static<typeof usage>;
export type GeminiTokenDetails = Static<typeof tokenDetails>;
export type GeminiGrounding = Static<typeof grounding>;
export type GeminiGroundingChunk = Static<typeof groundingChunk>;
export type GeminiError = Static<typeof geminiErrorSchema>;

/** A call as Vertex streams it. */
export interface StreamedCall extends GeminiFunctionCall {
  partialArgs: PartialArgument[];
  willContinue: boolean;
}

/** A piece of the arguments, with one of the values. */
export interface PartialArgument {
  jsonPath: string;
  stringValue: string;
  numberValue: number;
  boolValue: boolean;
  nullValue: unknown;
}

/** Members of an answer without a neutral equivalent, kept for clients of this format. */
export interface GeminiExtra extends GeminiAnswer {
  candidate: GeminiCandidate;
}
