import { type Static, type TSchema, Type } from 'typebox';
import type { JsonObject } from '#base';
import { type SchemaFault, lenient, noted } from '../body/schema-notes.ts';
import { anyObject, carried, maybe, open, turnCount } from '../body/schema-parts.ts';
import { findMember } from './members.ts';

// The only description of the format, in the first of the two spellings of a member: for the OpenAPI document, the check
// of bodies (check-request.ts) and the types of what is read and written.

const name = Type.String({ minLength: 1 });
const text = maybe(Type.String());

const inlineData = Type.Object({ mimeType: name, data: name, displayName: text }, open);
const fileData = Type.Object({ fileUri: name, mimeType: text, displayName: text }, open);
const mediaFields = { inlineData: maybe(inlineData), fileData: maybe(fileData) };
const functionCall = Type.Object(
  { id: text, name, args: maybe(anyObject) },
  { ...open, title: 'GeminiFunctionCall' },
);
const mediaParts = Type.Array(
  noted(Type.Object(mediaFields, open), {
    like: (): TSchema => noted(Type.Union(media), { select: (part) => selectMedia(part) }),
  }),
);
const functionResponse = Type.Object(
  { id: text, name, response: maybe(anyObject), parts: maybe(mediaParts) },
  { ...open, title: 'GeminiFunctionResponse' },
);
const part = Type.Object(
  {
    text: Type.Optional(Type.String()),
    thought: Type.Optional(lenient(Type.Boolean())),
    thoughtSignature: text,
    ...mediaFields,
    functionCall: maybe(functionCall),
    functionResponse: maybe(functionResponse),
  },
  { ...open, title: 'GeminiPart' },
);

// The first of these members that a part has is read; the others are ignored.
const media = [Type.Object({ inlineData }, open), Type.Object({ fileData }, open), Type.Object({}, open)];
const userParts = [
  ...media,
  Type.Object({ text: Type.String() }, open),
  Type.Object({ functionResponse }, open),
];
const modelParts = [
  ...media,
  Type.Object({ text: Type.String() }, open),
  Type.Object({ functionCall }, open),
].map((one) => Type.Object({ ...one.properties, thoughtSignature: text }, open));

function selectMedia(value: JsonObject): number {
  if (findMember(value, 'inlineData') !== undefined) return 0;
  return findMember(value, 'fileData') === undefined ? 2 : 1;
}

function selectPart(value: JsonObject, first: 'functionResponse' | 'functionCall'): number | SchemaFault {
  if (Object.keys(value).length === 0) return { steps: [], complaint: 'must not be an empty object' };
  const isText = value['text'] !== undefined;
  const isCall = findMember(value, first) !== undefined;
  // The result of a call may have a text alongside it, a call may not.
  if (isText && (first === 'functionResponse' || !isCall)) return 3;
  return isCall ? 4 : selectMedia(value);
}

const userPart = noted(Type.Union(userParts), { select: (one) => selectPart(one, 'functionResponse') });
const modelPart = noted(Type.Union(modelParts), { select: (one) => selectPart(one, 'functionCall') });

export const content = Type.Object(
  { role: text, parts: Type.Array(part) },
  { ...open, title: 'GeminiContent' },
);
const checkedContent = noted(
  Type.Union([
    Type.Object({ parts: maybe(Type.Array(userPart)) }),
    Type.Object({ parts: maybe(Type.Array(modelPart)) }),
  ]),
  { select: selectContent },
);

const USER_ROLES: ReadonlySet<unknown> = new Set(['user', 'function', undefined, '', null]);

function selectContent({ role }: JsonObject): number | SchemaFault {
  if (role === 'model') return 1;
  return USER_ROLES.has(role) ? 0 : { steps: ['role'], complaint: 'must be user or model' };
}

const functionDeclaration = Type.Object(
  { name, description: text, parameters: maybe(anyObject), parametersJsonSchema: maybe(anyObject) },
  open,
);
const tool = Type.Object(
  { functionDeclarations: maybe(Type.Array(functionDeclaration)) },
  { title: 'GeminiTool', ...open, description: 'Any other member is a tool that Google runs itself.' },
);
const functionCallingConfig = Type.Object(
  {
    mode: maybe(Type.String({ description: '`AUTO`, `ANY`, `NONE` or `VALIDATED`.' })),
    allowedFunctionNames: maybe(Type.Array(Type.String())),
  },
  open,
);
export const toolConfig = Type.Object(
  {
    functionCallingConfig: maybe(functionCallingConfig),
    includeServerSideToolInvocations: carried,
    retrievalConfig: carried,
  },
  open,
);
const thinkingConfig = Type.Object(
  {
    thinkingBudget: maybe(Type.Number({ minimum: -1, maximum: 1_000_000_000 })),
    thinkingLevel: maybe(Type.String({ description: '`MINIMAL`, `LOW`, `MEDIUM` or `HIGH`.' })),
    includeThoughts: Type.Optional(lenient(Type.Boolean())),
  },
  open,
);
const schema = Type.Optional(lenient(anyObject));
const number = (minimum: number, maximum: number) => maybe(Type.Number({ minimum, maximum }));
export const generationConfig = Type.Object(
  {
    candidateCount: maybe(Type.Integer({ minimum: 1, maximum: 128 })),
    maxOutputTokens: maybe(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    stopSequences: maybe(Type.Array(Type.String())),
    temperature: number(0, 2),
    topP: number(0, 1),
    topK: number(0, 1_000_000),
    frequencyPenalty: number(-2, 2),
    presencePenalty: number(-2, 2),
    seed: number(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    responseMimeType: text,
    responseSchema: schema,
    responseJsonSchema: schema,
    _responseJsonSchema: schema,
    thinkingConfig: maybe(thinkingConfig),
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

/**
 * The body of `generateContent` and `streamGenerateContent`. Only members of this schema are forwarded to Google: those
 * known to cost nothing beyond the reported tokens, and those with a known price.
 */
export const geminiRequestSchema = Type.Object(
  {
    contents: noted(Type.Array(content, turnCount), {
      like: (): TSchema => Type.Array(checkedContent, turnCount),
    }),
    systemInstruction: Type.Optional(lenient(content)),
    tools: maybe(Type.Array(tool)),
    toolConfig: maybe(toolConfig),
    generationConfig: maybe(generationConfig),
    safetySettings: Type.Optional(lenient(Type.Array(anyObject))),
    cachedContent: Type.Optional(lenient(Type.String())),
    serviceTier: text,
    labels: carried,
  },
  { ...open, title: 'GeminiRequest' },
);

/** The same body where no URL names the model. */
export const unroutedRequestSchema = Type.Object({ ...geminiRequestSchema.properties, model: name }, open);

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
