import type { JsonObject, JsonValue } from '#base';
import type { CustomTool, FunctionTool, NativeTool, Tool, ToolChoice } from '#canonical';
import { findBuiltInTool } from '../../tools/built-in-tools.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { encodeOpenaiChoice } from '../../request/openai-tool-choice.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';
import { refuseFeature } from '../../errors/refuse-feature.ts';
import { ensureObjectSchema, meetsStrictSubset } from '../../body/strict-schema.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import { encodeCacheMark } from './cache-marks.ts';
import type { ChatCustom, ChatCustomFormat, ChatFunction, ChatTool, ChatToolChoice } from '../schema.ts';

/** Encodes the tools the target supports; deferred ones are sent eagerly. */
export function encodeTools(context: EncodeContext): Members<ChatTool>[] {
  const tools: Members<ChatTool>[] = [];
  const isMarked = context.dialect.cacheMarks === 'cache_control';
  for (const tool of context.request.tools) {
    const encoded = encodeTool(tool, context);
    if (!encoded) continue;
    tools.push(isMarked ? Object.assign(encoded, encodeCacheMark(tool.cache, 'cache_control')) : encoded);
  }
  return tools;
}

function encodeTool(tool: Tool, context: EncodeContext): Members<ChatTool> | undefined {
  if (tool.type === 'function') return encodeFunction(tool, context);
  return tool.type === 'custom' ? encodeCustom(tool, context) : encodeNative(tool, context);
}

function encodeCustom({ name, description, format }: CustomTool, context: EncodeContext): Members<ChatTool> {
  const custom: Members<ChatCustom> = { name: context.names.encode(name) };
  if (description !== undefined) custom.description = description;
  if (format) custom.format = encodeCustomFormat(format);
  return { type: 'custom', custom };
}

/** Chat nests a grammar one level deeper than the neutral form. */
function encodeCustomFormat(format: JsonObject): Members<ChatCustomFormat> {
  const { type, ...grammar }: Members<ChatCustomFormat & { definition: string }> = format;
  return type === 'grammar' ? { type, grammar } : format;
}

function encodeFunction(tool: FunctionTool, context: EncodeContext): Members<ChatTool> {
  const encoded: Members<ChatFunction> = { name: context.names.encode(tool.name) };
  if (tool.description !== undefined) encoded.description = tool.description;
  const parameters = ensureObjectSchema(tool.inputSchema ?? {});
  encoded.parameters = parameters;
  const strict = findStrict(tool, parameters, context);
  if (strict !== undefined) encoded.strict = strict;
  return { type: 'function', function: encoded };
}

/** Keeps a Chat caller's `strict`; another format's only if the schema is in OpenAI's strict subset. */
function findStrict(
  { strict }: FunctionTool,
  schema: JsonObject,
  { dialect, request }: EncodeContext,
): boolean | undefined {
  if (strict === undefined || !dialect.strictTools) return undefined;
  if (request.origin.format === 'chat') return strict;
  return strict && meetsStrictSubset(schema) ? true : undefined;
}

function encodeNative(tool: NativeTool, context: EncodeContext): Members<ChatTool> | undefined {
  const known = findBuiltInTool(tool);
  if (!known) return undefined;
  const { name, description, parameters } = known;
  return { type: 'function', function: { name: context.names.encode(name), description, parameters } };
}

/** Encodes the choice among the tools sent. */
export function encodeToolChoice(
  choice: ToolChoice,
  tools: readonly Unchecked<ChatTool>[],
  context: EncodeContext,
): JsonValue | undefined {
  return encodeOpenaiChoice<Unchecked<ChatToolChoice>>(choice, context, {
    nameTool: (name) => nameTool(name, tools),
    encodeNative: ({ format, value }) => {
      if (format !== 'chat') return refuseFeature('this tool_choice', 'tool_choice');
      return context.dialect.forcedToolChoice ? renameAllowed(value, context) : undefined;
    },
  });
}

function nameTool(name: string, tools: readonly Unchecked<ChatTool>[]): Unchecked<ChatToolChoice> {
  for (const tool of tools) {
    if (!isObject(tool)) continue;
    const isCustom = tool.type === 'custom';
    const given = isCustom ? tool.custom : tool.function;
    if (!isObject(given) || given.name !== name) continue;
    return isCustom ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
  }
  return 'auto';
}

function renameAllowed(value: Members<ChatToolChoice>, { names }: EncodeContext): Members<ChatToolChoice> {
  const { allowed_tools: allowed } = value;
  if (!isObject(allowed) || !Array.isArray(allowed.tools)) return value;
  const tools = itemsOf(allowed.tools).map((tool) => {
    const called = isObject(tool) ? tool.function : undefined;
    if (!isObject(tool) || !isObject(called) || typeof called.name !== 'string') return tool;
    return { ...tool, function: { name: names.encode(called.name) } };
  });
  return { ...value, allowed_tools: { ...allowed, tools } };
}
