import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { ClientFormatId, Dialect, FormatId } from '#canonical';
import {
  type Exchange,
  type InboundFormat,
  type ReplyContext,
  getInboundFormat,
  getOutboundFormat,
} from '#wire';
import { createTarget } from '../support/exchanges.ts';

/** A tool as a property offers it. */
export interface OfferedTool {
  name: string;
  schema: JsonObject;
  strict?: boolean;
}

/** A question with its tools in each client format. */
const QUESTIONS: Record<ClientFormatId, (tools: readonly OfferedTool[]) => JsonObject> = {
  chat: (tools) => ({
    model: 'client-model',
    messages: [{ role: 'user', content: 'Hello.' }],
    stream: true,
    stream_options: { include_usage: true },
    tools: tools.map(({ name, schema, strict }) => ({
      type: 'function',
      function: { name, parameters: schema, ...(strict === true && { strict }) },
    })),
  }),
  gemini: (tools) => ({
    model: 'client-model',
    contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }],
    tools: [
      { functionDeclarations: tools.map(({ name, schema }) => ({ name, parametersJsonSchema: schema })) },
    ],
  }),
  messages: (tools) => ({
    model: 'client-model',
    max_tokens: 1024,
    messages: [{ role: 'user', content: 'Hello.' }],
    stream: true,
    tools: tools.map(({ name, schema, strict }) => ({
      name,
      input_schema: schema,
      ...(strict === true && { strict }),
    })),
  }),
  responses: (tools) => ({
    model: 'client-model',
    input: 'Hello.',
    stream: true,
    tools: tools.map(({ name, schema, strict }) => ({
      type: 'function',
      name,
      parameters: schema,
      strict: strict === true,
    })),
  }),
};

const isBuilt =
  <Id>(find: (id: Id) => unknown) =>
  (id: Id): boolean => {
    try {
      return find(id) !== undefined;
    } catch {
      return false;
    }
  };

/** Every client format; new ones in the registry are included automatically. */
export const CLIENT_FORMATS = (Object.keys(QUESTIONS) as ClientFormatId[]).filter(isBuilt(getInboundFormat));

export function isClientFormat(format: FormatId): format is ClientFormatId {
  return (CLIENT_FORMATS as readonly FormatId[]).includes(format);
}

/** What one request needs to get from a client to a provider and its answer back. */
export interface Crossing {
  inbound: InboundFormat;
  context: ReplyContext;
  exchange: Exchange;
}

export interface CrossingPlan {
  client: ClientFormatId;
  provider: FormatId;
  dialect?: Partial<Dialect>;
  tools?: readonly OfferedTool[];
  /** Fields of the client's body besides the question. */
  more?: JsonObject;
}

const WEATHER: OfferedTool = {
  name: 'weather',
  schema: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};

export function openCrossing({ client, provider, dialect, tools = [WEATHER], more }: CrossingPlan): Crossing {
  const inbound = getInboundFormat(client);
  const body = { ...QUESTIONS[client](tools), ...more };
  const request = { ...inbound.decodeRequest(body, {}), stream: true };
  const echo = inbound.createEcho?.(request);
  return {
    inbound,
    exchange: getOutboundFormat(provider).openExchange(request, createTarget(provider, dialect)),
    context: {
      request,
      answerId: 'answer_1',
      model: request.model,
      createdSeconds: 1_700_000_000,
      inputEstimate: 42,
      ...(echo && { echo }),
    },
  };
}

/** The tools of a body as the provider reads them: name, schema and strictness. */
export function readTools(provider: FormatId, body: JsonObject): Required<OfferedTool>[] {
  return TOOL_READERS[provider](listObjects(body['tools'] ?? body['toolConfig']));
}

const toTool = (name: unknown, schema: unknown, strict: unknown = false): Required<OfferedTool> => ({
  name: String(name),
  schema: isJsonObject(schema) ? schema : {},
  strict: strict === true,
});

const TOOL_READERS: Record<FormatId, (tools: JsonObject[]) => Required<OfferedTool>[]> = {
  chat: (tools) =>
    tools.map(({ function: reported }) => {
      const { name, parameters, strict } = toObject(reported);
      return toTool(name, parameters, strict);
    }),
  converse: (tools) =>
    tools.flatMap((config) =>
      listObjects(config['tools']).map(({ toolSpec }) => {
        const { name, inputSchema, strict } = toObject(toolSpec);
        return toTool(name, toObject(inputSchema)['json'], strict);
      }),
    ),
  gemini: (tools) =>
    tools.flatMap(({ functionDeclarations }) =>
      listObjects(functionDeclarations).map(({ name, parameters }) => toTool(name, parameters)),
    ),
  messages: (tools) => tools.map(({ name, input_schema, strict }) => toTool(name, input_schema, strict)),
  responses: (tools) => tools.map(({ name, parameters, strict }) => toTool(name, parameters, strict)),
};

/** Every provider format. */
export const PROVIDER_FORMATS = (Object.keys(TOOL_READERS) as FormatId[]).filter(isBuilt(getOutboundFormat));

export function listObjects(value: JsonValue | undefined): JsonObject[] {
  if (Array.isArray(value)) return value.filter(isJsonObject);
  return isJsonObject(value) ? [value] : [];
}

export function toObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Generated ids (a prefix and 22 characters) differ from run to run. */
export function withoutMadeUpIds(text: string): string {
  return text.replace(/\b([a-z]+_)[0-9A-Za-z]{22}\b/g, '$1made-up');
}
