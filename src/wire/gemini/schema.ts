import { Type } from 'typebox';

const open = { additionalProperties: true };
const anyObject = Type.Object({}, open);

const part = Type.Object(
  {
    text: Type.Optional(Type.String()),
    thought: Type.Optional(Type.Boolean()),
    thoughtSignature: Type.Optional(Type.String()),
    inlineData: Type.Optional(Type.Object({ mimeType: Type.String(), data: Type.String() }, open)),
    fileData: Type.Optional(Type.Object({ fileUri: Type.String() }, open)),
    functionCall: Type.Optional(
      Type.Object(
        { id: Type.Optional(Type.String()), name: Type.String(), args: Type.Optional(anyObject) },
        open,
      ),
    ),
    functionResponse: Type.Optional(
      Type.Object(
        { id: Type.Optional(Type.String()), name: Type.String(), response: Type.Optional(anyObject) },
        open,
      ),
    ),
  },
  open,
);
const content = Type.Object({ role: Type.Optional(Type.String()), parts: Type.Array(part) }, open);

/** The body of `generateContent` and `streamGenerateContent`. */
export const geminiRequestSchema = Type.Object(
  {
    contents: Type.Array(content, { minItems: 1, maxItems: 100_000 }),
    systemInstruction: Type.Optional(content),
    tools: Type.Optional(Type.Array(anyObject)),
    toolConfig: Type.Optional(anyObject),
    generationConfig: Type.Optional(anyObject),
    safetySettings: Type.Optional(Type.Array(anyObject)),
    cachedContent: Type.Optional(Type.String()),
  },
  open,
);

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
