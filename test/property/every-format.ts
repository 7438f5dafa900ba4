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
  description?: string;
}

/** A question with its tools in each client format. */
const QUESTIONS: Record<ClientFormatId, (tools: readonly OfferedTool[]) => JsonObject> = {
  chat: (tools) => ({
    model: 'client-model',
    messages: [{ role: 'user', content: 'Hello.' }],
    stream: true,
    stream_options: { include_usage: true },
    tools: tools.map(({ name, schema, strict, ...described }) => ({
      type: 'function',
      function: { name, parameters: schema, ...described, ...(strict === true && { strict }) },
    })),
  }),
  gemini: (tools) => ({
    model: 'client-model',
    contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }],
    tools: [
      {
        functionDeclarations: tools.map(({ name, schema, description }) => ({
          name,
          parametersJsonSchema: schema,
          ...(description !== undefined && { description }),
        })),
      },
    ],
  }),
  messages: (tools) => ({
    model: 'client-model',
    max_tokens: 1024,
    messages: [{ role: 'user', content: 'Hello.' }],
    stream: true,
    tools: tools.map(({ name, schema, strict, ...described }) => ({
      name,
      input_schema: schema,
      ...described,
      ...(strict === true && { strict }),
    })),
  }),
  responses: (tools) => ({
    model: 'client-model',
    input: 'Hello.',
    stream: true,
    tools: tools.map(({ name, schema, strict, ...described }) => ({
      type: 'function',
      name,
      parameters: schema,
      ...described,
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

/** A tool as a provider reads it. */
type ReadTool = Required<Omit<OfferedTool, 'description'>> & { description: JsonValue | undefined };

/** The tools of a body as the provider reads them. */
export function readTools(provider: FormatId, body: JsonObject): ReadTool[] {
  return TOOL_READERS[provider](listObjects(body['tools'] ?? body['toolConfig']));
}

const toTool = ({ name, description, strict }: JsonObject, schema: unknown): ReadTool => ({
  name: typeof name === 'string' ? name : '',
  schema: isJsonObject(schema) ? schema : {},
  strict: strict === true,
  description,
});

const TOOL_READERS: Record<FormatId, (tools: JsonObject[]) => ReadTool[]> = {
  chat: (tools) =>
    tools.map(({ function: reported }) => {
      const tool = toObject(reported);
      return toTool(tool, tool['parameters']);
    }),
  converse: (tools) =>
    tools.flatMap((config) =>
      listObjects(config['tools']).map(({ toolSpec }) => {
        const tool = toObject(toolSpec);
        return toTool(tool, toObject(tool['inputSchema'])['json']);
      }),
    ),
  gemini: (tools) =>
    tools.flatMap(({ functionDeclarations }) =>
      listObjects(functionDeclarations).map((tool) => toTool(tool, tool['parameters'])),
    ),
  messages: (tools) => tools.map((tool) => toTool(tool, tool['input_schema'])),
  responses: (tools) => tools.map((tool) => toTool(tool, tool['parameters'])),
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
