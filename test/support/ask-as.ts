import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';

/** A function that a request offers. */
export interface OfferedTool {
  name: string;
  schema: JsonObject;
  strict?: boolean;
  description?: string;
}

interface Question {
  model?: string;
  text?: string;
  /** Absent: the format's own default. */
  stream?: boolean | undefined;
  /** The most output tokens; where the format requires a number, 1024 by default. */
  most?: number;
  tools?: readonly OfferedTool[];
}

/** A request of a client: path and body. */
export interface Ask {
  path: string;
  body: JsonObject;
}

interface Asked extends Required<Pick<Question, 'model' | 'text'>> {
  most: number | undefined;
  stream: boolean | undefined;
  /** What all formats but one name alike. */
  common: JsonObject;
  tools: readonly OfferedTool[] | undefined;
}

const ASKS: Record<ClientFormatId, (asked: Asked) => Ask> = {
  chat: ({ text, most, common, tools }) => ({
    path: '/v1/chat/completions',
    body: {
      ...common,
      ...(most !== undefined && { max_tokens: most }),
      messages: [{ role: 'user', content: text }],
      ...(tools && {
        tools: tools.map(({ name, schema, strict, ...described }) => ({
          type: 'function',
          function: { name, ...described, parameters: schema, ...(strict === true && { strict }) },
        })),
      }),
    },
  }),
  messages: ({ text, most = 1024, common, tools }) => ({
    path: '/v1/messages',
    body: {
      ...common,
      max_tokens: most,
      messages: [{ role: 'user', content: text }],
      ...(tools && {
        tools: tools.map(({ name, schema, strict, ...described }) => ({
          name,
          ...described,
          input_schema: schema,
          ...(strict === true && { strict }),
        })),
      }),
    },
  }),
  responses: ({ text, most, common, tools }) => ({
    path: '/v1/responses',
    body: {
      ...common,
      ...(most !== undefined && { max_output_tokens: most }),
      input: text,
      ...(tools && {
        tools: tools.map(({ name, schema, strict, ...described }) => ({
          type: 'function',
          name,
          ...described,
          parameters: schema,
          strict: strict === true,
        })),
      }),
    },
  }),
  gemini: ({ model, text, most, stream, tools }) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      contents: [{ role: 'user', parts: [{ text }] }],
      ...(most !== undefined && { generationConfig: { maxOutputTokens: most } }),
      ...(tools && {
        tools: [
          {
            functionDeclarations: tools.map(({ name, schema, strict: _strict, ...described }) => ({
              name,
              ...described,
              parametersJsonSchema: schema,
            })),
          },
        ],
      }),
    },
  }),
};

/** A user's question in a client's format. */
export function askAs(
  format: ClientFormatId,
  { model = 'm', text = 'Hello.', stream, most, tools }: Question = {},
): Ask {
  const common = { model, ...(stream !== undefined && { stream }) };
  return ASKS[format]({ model, text, most, stream, common, tools });
}

/** The same for a decoder, which learns the model from the body alone. */
export function createQuestion(format: ClientFormatId, question: Question = {}): JsonObject {
  return { model: question.model ?? 'm', ...askAs(format, question).body };
}
