import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { CustomTool, FunctionTool, Tool, ToolChoice } from '#canonical';
import { findBuiltInTool } from '../built-in-tools.ts';
import { meetsStrictSubset } from '../strict-schema.ts';
import type { EncodeContext } from '../encode-context.ts';
import { refuseFeature } from './unsupported.ts';

/** Encodes the tools the target supports. */
export function encodeTools(context: EncodeContext): JsonObject[] {
  const tools = context.request.tools.map((tool) => encodeTool(tool, context));
  const search = encodeSearch(context);
  return [...tools, search].filter((tool) => tool !== undefined);
}

function encodeTool(tool: Tool, context: EncodeContext): JsonObject | undefined {
  switch (tool.type) {
    case 'function':
      return encodeFunction(tool, context);
    case 'custom':
      return encodeCustom(tool, context);
    case 'native': {
      if (tool.format === 'responses') return tool.value;
      const known = findBuiltInTool(tool);
      if (!known) return undefined;
      const name = context.names.encode(known.name);
      return { type: 'function', ...known, name, strict: false };
    }
  }
}

function encodeFunction(tool: FunctionTool, context: EncodeContext): JsonObject {
  const parameters = ensureObjectSchema(tool.inputSchema ?? {});
  return {
    type: 'function',
    name: context.names.encode(tool.name),
    ...(tool.description !== undefined && { description: tool.description }),
    parameters,
    ...encodeStrict(tool, parameters, context),
    ...membersOf(tool, context),
  };
}

/**
 * Always sends `strict`, because it defaults to true here (unlike Chat). Keeps a Responses caller's value; another
 * format's only if the schema is in OpenAI's strict subset.
 */
function encodeStrict(tool: FunctionTool, schema: JsonObject, context: EncodeContext): JsonObject {
  const { dialect, request } = context;
  if (!dialect.strictTools) return {};
  if (request.origin.format === 'responses') return tool.strict === undefined ? {} : { strict: tool.strict };
  return { strict: tool.strict === true && meetsStrictSubset(schema) };
}

function ensureObjectSchema(schema: JsonObject): JsonObject {
  if (schema['type'] === 'object' && isJsonObject(schema['properties'])) return schema;
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  return { ...schema, type: 'object', properties };
}

function encodeCustom(tool: CustomTool, context: EncodeContext): JsonObject {
  return {
    type: 'custom',
    name: context.names.encode(tool.name),
    ...(tool.description !== undefined && { description: tool.description }),
    ...(tool.format && { format: tool.format }),
    ...membersOf(tool, context),
  };
}

/** Members that exist only in this format; tools of a namespace are sent under one flat name. */
function membersOf(tool: FunctionTool | CustomTool, { request }: EncodeContext): JsonObject {
  const members = { ...tool.extra?.responses };
  delete members['namespace'];
  delete members['name'];
  const isDeferred = tool.type === 'function' && tool.deferLoading && request.origin.format === 'responses';
  return { ...members, ...(isDeferred && { defer_loading: true }) };
}

/** Replaces Chat's search models with a search tool. */
function encodeSearch({ request }: EncodeContext): JsonObject | undefined {
  const options = request.extra?.chat?.['web_search_options'];
  if (!isJsonObject(options)) return undefined;
  const { search_context_size: size, user_location: location } = options;
  const approximate = isJsonObject(location) ? location['approximate'] : undefined;
  return {
    type: 'web_search',
    ...(typeof size === 'string' && { search_context_size: size }),
    ...(isJsonObject(approximate) && { user_location: { type: 'approximate', ...approximate } }),
  };
}

/** Encodes the choice among the tools sent; an unsupported choice becomes `auto`. */
export function encodeToolChoice(
  choice: ToolChoice,
  tools: readonly JsonObject[],
  context: EncodeContext,
): JsonValue | undefined {
  const canForce = context.dialect.forcedToolChoice;
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type;
    case 'any':
      return canForce ? 'required' : 'auto';
    case 'tool':
      return canForce ? nameTool(choice.name, tools, context) : 'auto';
    case 'native':
      return encodeNativeChoice(choice, context);
  }
}

function nameTool(name: string, tools: readonly JsonObject[], { names }: EncodeContext): JsonValue {
  const sent = names.encode(name);
  const tool = tools.find((candidate) => candidate['name'] === sent);
  if (!tool) return 'auto';
  return { type: tool['type'] === 'custom' ? 'custom' : 'function', name: sent };
}

type NativeChoice = ToolChoice & { type: 'native' };

function encodeNativeChoice({ format, value }: NativeChoice, context: EncodeContext): JsonValue | undefined {
  if (format === 'responses')
    return value['type'] === 'allowed_tools' ? renameAllowed(value, context) : value;
  if (format !== 'chat') return refuseFeature('this tool_choice', 'tool_choice');
  const allowed = isJsonObject(value['allowed_tools']) ? value['allowed_tools'] : {};
  return renameAllowed({ type: 'allowed_tools', ...allowed }, context);
}

/** Chat nests the names of allowed tools one level deeper. */
function renameAllowed(value: JsonObject, { names }: EncodeContext): JsonObject {
  const tools = Array.isArray(value['tools']) ? value['tools'].filter(isJsonObject) : [];
  return {
    ...value,
    tools: tools.map((tool) => {
      const type = tool['type'] === 'custom' ? 'custom' : 'function';
      const nested = tool[type];
      const { name } = isJsonObject(nested) ? nested : tool;
      return typeof name === 'string' ? { type: tool['type'] ?? type, name: names.encode(name) } : tool;
    }),
  };
}
