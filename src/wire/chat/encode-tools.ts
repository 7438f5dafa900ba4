import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { CustomTool, FunctionTool, NativeTool, Tool, ToolChoice } from '#canonical';
import { GatewayError } from '#errors';
import { findBuiltInTool } from '../built-in-tools.ts';
import { encodeCacheMark } from './cache-marks.ts';
import type { EncodeContext } from '../encode-context.ts';
import type { ChatFunction, ChatTool } from './schema.ts';
import type { Members } from '../unchecked.ts';
import { meetsStrictSubset } from '../strict-schema.ts';

/** Encodes the tools the target supports; deferred ones are sent eagerly. */
export function encodeTools(context: EncodeContext): JsonObject[] {
  const tools: JsonObject[] = [];
  for (const tool of context.request.tools) {
    const encoded = encodeTool(tool, context);
    if (!encoded) continue;
    const mark =
      context.dialect.cacheMarks === 'cache_control' ? encodeCacheMark(tool.cache, 'cache_control') : {};
    tools.push({ ...encoded, ...mark });
  }
  return tools;
}

function encodeTool(tool: Tool, context: EncodeContext): Members<ChatTool> | undefined {
  if (tool.type === 'function') return encodeFunction(tool, context);
  return tool.type === 'custom' ? encodeCustom(tool, context) : encodeNative(tool, context);
}

function encodeCustom({ name, description, format }: CustomTool, context: EncodeContext): Members<ChatTool> {
  const { type, ...grammar } = format ?? {};
  return {
    type: 'custom',
    custom: {
      name: context.names.encode(name),
      ...(description !== undefined && { description }),
      ...(format && { format: type === 'grammar' ? { type, grammar } : format }),
    },
  };
}

function encodeFunction(tool: FunctionTool, context: EncodeContext): Members<ChatTool> {
  const parameters = ensureObjectSchema(tool.inputSchema ?? {});
  return {
    type: 'function',
    function: {
      name: context.names.encode(tool.name),
      ...(tool.description !== undefined && { description: tool.description }),
      parameters,
      ...encodeStrict(tool, parameters, context),
    },
  };
}

/** Keeps a Chat caller's `strict`; another format's only if the schema is in OpenAI's strict subset. */
function encodeStrict(
  tool: FunctionTool,
  schema: JsonObject,
  context: EncodeContext,
): Pick<Members<ChatFunction>, 'strict'> {
  const { dialect, request } = context;
  if (tool.strict === undefined || !dialect.strictTools) return {};
  if (request.origin.format === 'chat') return { strict: tool.strict };
  return tool.strict && meetsStrictSubset(schema) ? { strict: true } : {};
}

function ensureObjectSchema(schema: JsonObject): JsonObject {
  if (schema['type'] === 'object' && isJsonObject(schema['properties'])) return schema;
  return {
    ...schema,
    type: 'object',
    properties: isJsonObject(schema['properties']) ? schema['properties'] : {},
  };
}

function encodeNative(tool: NativeTool, context: EncodeContext): Members<ChatTool> | undefined {
  const known = findBuiltInTool(tool);
  if (!known) return undefined;
  const { name, description, parameters } = known;
  return { type: 'function', function: { name: context.names.encode(name), description, parameters } };
}

/** Encodes the choice among the tools sent; an unsupported choice becomes `auto`. */
export function encodeToolChoice(
  choice: ToolChoice,
  tools: JsonObject[],
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
      return canForce ? nameTool(context.names.encode(choice.name), tools) : 'auto';
    case 'native':
      if (choice.format !== 'chat') return refuseChoice();
      return canForce ? renameAllowed(choice.value, context) : undefined;
  }
}

function refuseChoice(): never {
  throw new GatewayError('unsupported_feature', "this model's provider cannot take this tool_choice", {
    param: 'tool_choice',
  });
}

function nameTool(name: string, tools: JsonObject[]): JsonValue {
  for (const tool of tools) {
    const type = tool['type'] === 'custom' ? 'custom' : 'function';
    const given = tool[type];
    if (isJsonObject(given) && given['name'] === name) return { type, [type]: { name } };
  }
  return 'auto';
}

function renameAllowed(value: JsonObject, context: EncodeContext): JsonObject {
  const allowed = value['allowed_tools'];
  if (!isJsonObject(allowed) || !Array.isArray(allowed['tools'])) return value;
  const tools = allowed['tools'].map((tool) => {
    if (!isJsonObject(tool) || !isJsonObject(tool['function'])) return tool;
    const { name } = tool['function'];
    return typeof name === 'string' ? { ...tool, function: { name: context.names.encode(name) } } : tool;
  });
  return { ...value, allowed_tools: { ...allowed, tools } };
}
