import { type JsonObject, type JsonValue, isJsonObject, parseJsonObject } from '#base';
import { CLIENT_FORMATS, type ClientFormatId, type Dialect, type FormatId } from '#canonical';
import {
  type Exchange,
  type InboundFormat,
  type ReplyContext,
  getInboundFormat,
  getOutboundFormat,
} from '#wire';
import { type OfferedTool, createQuestion } from '../support/ask-as.ts';
import { createTarget } from '../support/exchanges.ts';

/** Every client format and every provider format. */
export { CLIENT_FORMATS, FORMATS as PROVIDER_FORMATS } from '#canonical';

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
  const body = {
    ...createQuestion(client, { model: 'client-model', stream: true, tools }),
    ...(client === 'chat' && { stream_options: { include_usage: true } }),
    ...more,
  };
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

/** Where a client's body has the requested shape of an answer. */
export const SHAPE_REQUESTS: Partial<Record<ClientFormatId, (schema: JsonObject) => JsonObject>> = {
  chat: (schema) => ({ response_format: { type: 'json_schema', json_schema: { name: 'shape', schema } } }),
  gemini: (schema) => ({
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
  }),
  messages: (schema) => ({ output_config: { format: { type: 'json_schema', schema } } }),
  responses: (schema) => ({ text: { format: { type: 'json_schema', name: 'shape', schema } } }),
};

/** And where a provider's body has it. */
export const SHAPE_READERS: Record<
  FormatId,
  (body: JsonObject) => { schema: JsonValue | undefined; strict?: unknown }
> = {
  chat: (body) => {
    const { schema, strict } = toObject(toObject(body['response_format'])['json_schema']);
    return { schema, strict };
  },
  converse: (body) => {
    const { structure } = toObject(toObject(body['outputConfig'])['textFormat']);
    const { schema } = toObject(toObject(structure)['jsonSchema']);
    return { schema: typeof schema === 'string' ? parseJsonObject(schema) : undefined };
  },
  gemini: (body) => ({ schema: toObject(body['generationConfig'])['responseJsonSchema'] }),
  messages: (body) => ({ schema: toObject(toObject(body['output_config'])['format'])['schema'] }),
  responses: (body) => {
    const { schema, strict } = toObject(toObject(body['text'])['format']);
    return { schema, strict };
  },
};

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
