import type { JsonObject, JsonValue } from '#base';
import type { CustomTool, FunctionTool, Tool, ToolChoice } from '#canonical';
import { findBuiltInTool } from '../../tools/built-in-tools.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { objectOf } from '../../body/read-answer.ts';
import { encodeOpenaiChoice } from '../../request/openai-tool-choice.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';
import { refuseFeature } from '../../errors/refuse-feature.ts';
import { ensureObjectSchema, meetsStrictSubset } from '../../body/strict-schema.ts';
import type { Members } from '../../body/unchecked.ts';
import type { ResponsesToolChoice } from '../schema.ts';
import type { ResponsesTool } from '../tool-schema.ts';

/** Members of the tool that replaces Chat's search models. */
interface SearchTool {
  search_context_size: string;
  user_location: object;
}

type EncodedTool = Members<ResponsesTool | SearchTool>;
type EncodedChoice = Members<ResponsesToolChoice>;

/** Encodes the tools the target supports. */
export function encodeTools(context: EncodeContext): EncodedTool[] {
  const tools = context.request.tools.map((tool) => encodeTool(tool, context));
  const search = encodeSearch(context);
  return [...tools, search].filter((tool) => tool !== undefined);
}

function encodeTool(tool: Tool, context: EncodeContext): EncodedTool | undefined {
  switch (tool.type) {
    case 'function':
      return encodeFunction(tool, context);
    case 'custom':
      return encodeCustom(tool, context);
    case 'native': {
      if (tool.format === 'responses') return tool.value;
      const known = findBuiltInTool(tool);
      if (!known) return undefined;
      const { description, parameters } = known;
      const name = context.names.encode(known.name);
      return { type: 'function', name, description, parameters, strict: false };
    }
  }
}

function encodeFunction(tool: FunctionTool, context: EncodeContext): EncodedTool {
  const encoded: EncodedTool = { type: 'function', name: context.names.encode(tool.name) };
  if (tool.description !== undefined) encoded.description = tool.description;
  const parameters = ensureObjectSchema(tool.inputSchema ?? {});
  encoded.parameters = parameters;
  const strict = findStrict(tool, parameters, context);
  if (strict !== undefined) encoded.strict = strict;
  addOwnMembers(encoded, tool);
  if (tool.deferLoading && context.request.origin.format === 'responses') encoded.defer_loading = true;
  return encoded;
}

/**
 * `strict` is always sent, because it defaults to true here (unlike Chat). Keeps a Responses caller's value; another
 * format's only if the schema is in OpenAI's strict subset.
 */
function findStrict(
  { strict }: FunctionTool,
  schema: JsonObject,
  { dialect, request }: EncodeContext,
): boolean | undefined {
  if (!dialect.strictTools) return undefined;
  return request.origin.format === 'responses' ? strict : strict === true && meetsStrictSubset(schema);
}

function encodeCustom(tool: CustomTool, context: EncodeContext): EncodedTool {
  const encoded: EncodedTool = { type: 'custom', name: context.names.encode(tool.name) };
  if (tool.description !== undefined) encoded.description = tool.description;
  if (tool.format) encoded.format = tool.format;
  addOwnMembers(encoded, tool);
  return encoded;
}

/** Members that exist only in this format; tools of a namespace are sent under one flat name. */
function addOwnMembers(encoded: EncodedTool, { extra }: FunctionTool | CustomTool): void {
  for (const [name, value] of Object.entries(extra?.responses ?? {}))
    if (name !== 'namespace' && name !== 'name') Object.assign(encoded, { [name]: value });
}

/** Chat's option of search models. */
interface SearchOptions {
  search_context_size: string;
  user_location: { approximate: object };
}

/** Replaces Chat's search models with a search tool. */
function encodeSearch({ request }: EncodeContext): EncodedTool | undefined {
  const chat: Members<{ web_search_options: SearchOptions }> = request.extra?.chat ?? {};
  const options = chat.web_search_options;
  if (!isObject(options)) return undefined;
  const { search_context_size: size, user_location: location } = options;
  const { approximate } = objectOf(location);
  const search: EncodedTool = { type: 'web_search' };
  if (typeof size === 'string') search.search_context_size = size;
  if (isObject(approximate)) search.user_location = { type: 'approximate', ...approximate };
  return search;
}

/** Encodes the choice among the tools sent. */
export function encodeToolChoice(
  choice: ToolChoice,
  tools: readonly EncodedTool[],
  context: EncodeContext,
): JsonValue | undefined {
  return encodeOpenaiChoice<EncodedChoice>(choice, context, {
    nameTool: (name) => nameTool(name, tools),
    encodeNative: (native) => encodeNativeChoice(native, context),
  });
}

function nameTool(name: string, tools: readonly EncodedTool[]): EncodedChoice | 'auto' {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) return 'auto';
  return { type: tool.type === 'custom' ? 'custom' : 'function', name };
}

type NativeChoice = ToolChoice & { type: 'native' };

function encodeNativeChoice({ format, value }: NativeChoice, context: EncodeContext): EncodedChoice {
  const given: EncodedChoice = value;
  if (format === 'responses') return given.type === 'allowed_tools' ? renameAllowed(given, context) : given;
  if (format !== 'chat') return refuseFeature('this tool_choice', 'tool_choice');
  const { allowed_tools: allowed }: Members<{ allowed_tools: ResponsesToolChoice }> = value;
  return renameAllowed({ type: 'allowed_tools', ...objectOf(allowed) }, context);
}

/** An allowed tool; Chat nests its name one level deeper. */
type AllowedTool = Members<{ type: string; name: string; function: NamedTool; custom: NamedTool }>;
interface NamedTool {
  name: string;
}

function renameAllowed(choice: EncodedChoice, { names }: EncodeContext): EncodedChoice {
  const tools: AllowedTool[] = itemsOf(choice.tools).filter(isObject);
  const rename = (tool: AllowedTool): AllowedTool => {
    const kind = tool.type === 'custom' ? 'custom' : 'function';
    const nested = tool[kind];
    const { name } = isObject(nested) ? nested : tool;
    return typeof name === 'string' ? { type: tool.type ?? kind, name: names.encode(name) } : tool;
  };
  return { ...choice, tools: tools.map(rename) };
}
