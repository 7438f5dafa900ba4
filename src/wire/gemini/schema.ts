import { type Static, type TSchema, Type } from 'typebox';

// The only description of the format: it appears in the OpenAPI document, and decoders are typed by it, in both
// spellings of a member. decode-request checks requests and names paths.

const open = { additionalProperties: true };
const anyObject = Type.Object({}, open);
const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
/** Forwarded unchanged. */
const carried = Type.Optional(Type.Unknown());

const inlineData = Type.Object(
  { mimeType: Type.String(), data: Type.String(), displayName: optional(Type.String()) },
  open,
);
const fileData = Type.Object(
  { fileUri: Type.String(), mimeType: optional(Type.String()), displayName: optional(Type.String()) },
  open,
);
const mediaFields = { inlineData: optional(inlineData), fileData: optional(fileData) };
const functionCall = Type.Object(
  { id: optional(Type.String()), name: Type.String(), args: optional(anyObject) },
  open,
);
const functionResponse = Type.Object(
  {
    id: optional(Type.String()),
    name: Type.String(),
    response: optional(anyObject),
    parts: optional(Type.Array(Type.Object(mediaFields, open))),
  },
  open,
);
const part = Type.Object(
  {
    text: optional(Type.String()),
    thought: optional(Type.Boolean()),
    thoughtSignature: optional(Type.String()),
    ...mediaFields,
    functionCall: optional(functionCall),
    functionResponse: optional(functionResponse),
  },
  open,
);
const content = Type.Object({ role: optional(Type.String()), parts: Type.Array(part) }, open);

const functionDeclaration = Type.Object(
  {
    name: Type.String(),
    description: optional(Type.String()),
    parameters: optional(anyObject),
    parametersJsonSchema: optional(anyObject),
  },
  open,
);
const tool = Type.Object(
  { functionDeclarations: optional(Type.Array(functionDeclaration)) },
  { ...open, description: 'Any other member is a tool that Google runs itself.' },
);
const toolConfig = Type.Object(
  {
    functionCallingConfig: optional(
      Type.Object(
        {
          mode: optional(Type.String({ description: '`AUTO`, `ANY`, `NONE` or `VALIDATED`.' })),
          allowedFunctionNames: optional(Type.Array(Type.String())),
        },
        open,
      ),
    ),
    includeServerSideToolInvocations: carried,
    retrievalConfig: carried,
  },
  open,
);
const thinkingConfig = Type.Object(
  {
    thinkingBudget: optional(Type.Number({ minimum: -1 })),
    thinkingLevel: optional(Type.String({ description: '`MINIMAL`, `LOW`, `MEDIUM` or `HIGH`.' })),
    includeThoughts: optional(Type.Boolean()),
  },
  open,
);
const generationConfig = Type.Object(
  {
    candidateCount: optional(Type.Integer({ minimum: 1, maximum: 128 })),
    maxOutputTokens: optional(Type.Integer({ minimum: 1 })),
    stopSequences: optional(Type.Array(Type.String())),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
    topP: optional(Type.Number({ minimum: 0, maximum: 1 })),
    topK: optional(Type.Number({ minimum: 0 })),
    frequencyPenalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
    presencePenalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
    seed: optional(Type.Number()),
    responseMimeType: optional(Type.String()),
    responseSchema: optional(anyObject),
    responseJsonSchema: optional(anyObject),
    _responseJsonSchema: optional(anyObject),
    thinkingConfig: optional(thinkingConfig),
    audioTimestamp: carried,
    audioTranscriptionConfig: carried,
    enableAffectiveDialog: carried,
    enableEnhancedCivicAnswers: carried,
    imageConfig: carried,
    logprobs: carried,
    mediaResolution: carried,
    responseFormat: carried,
    responseLogprobs: carried,
    responseModalities: carried,
    speechConfig: carried,
    translationConfig: carried,
  },
  open,
);

/** The body of `generateContent` and `streamGenerateContent`. */
export const geminiRequestSchema = Type.Object(
  {
    contents: Type.Array(content, { minItems: 1, maxItems: 100_000 }),
    systemInstruction: optional(content),
    tools: optional(Type.Array(tool)),
    toolConfig: optional(toolConfig),
    generationConfig: optional(generationConfig),
    safetySettings: optional(Type.Array(anyObject)),
    cachedContent: optional(Type.String()),
    serviceTier: optional(Type.String()),
    labels: carried,
  },
  open,
);

export type GeminiBody = Static<typeof geminiRequestSchema>;
export type GeminiContent = Static<typeof content>;
export type GeminiPart = Static<typeof part>;
export type GeminiMedia = Pick<GeminiPart, 'inlineData' | 'fileData'>;
export type GeminiInlineData = Static<typeof inlineData>;
export type GeminiFileData = Static<typeof fileData>;
export type GeminiFunctionCall = Static<typeof functionCall>;
export type GeminiFunctionResponse = Static<typeof functionResponse>;
export type GeminiFunction = Static<typeof functionDeclaration>;
export type GeminiTool = Static<typeof tool>;
export type GeminiToolConfig = Static<typeof toolConfig>;
export type GeminiThinkingConfig = Static<typeof thinkingConfig>;
export type GeminiGenerationConfig = Static<typeof generationConfig>;

/** The answer of `generateContent`, and each event of `streamGenerateContent`; `totalTokens` answers `countTokens`. */
export const geminiResponseSchema = Type.Object(
  {
    candidates: Type.Optional(
      Type.Array(
        Type.Object({ content, finishReason: Type.Optional(Type.String()), index: Type.Integer() }, open),
      ),
    ),
    promptFeedback: Type.Optional(anyObject),
    usageMetadata: Type.Optional(
      Type.Object(
        {
          promptTokenCount: Type.Integer(),
          candidatesTokenCount: Type.Integer(),
          totalTokenCount: Type.Integer(),
        },
        open,
      ),
    ),
    modelVersion: Type.Optional(Type.String()),
    responseId: Type.Optional(Type.String()),
    totalTokens: Type.Optional(Type.Integer()),
  },
  open,
);

/** The error body of Google's APIs. */
export const geminiErrorSchema = Type.Object({
  error: Type.Object({
    code: Type.Integer(),
    message: Type.String(),
    status: Type.String(),
    details: Type.Array(anyObject),
  }),
});
