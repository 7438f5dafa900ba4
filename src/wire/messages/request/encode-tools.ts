import type { Tool, ToolChoice } from '#canonical';
import { refuseFeature } from '../../errors/refuse-feature.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { encodeCacheMark } from '../cache-marks.ts';
import { sanitizeSchema } from './sanitize-schema.ts';
import type { JsonSchema } from '../../body/json-schema.ts';
import { isArray, isObject } from '../../body/read-field.ts';
import type { MessagesTool, MessagesToolChoice } from '../schema.ts';
import type { Members } from '../../body/unchecked.ts';

export function encodeTools(context: EncodeContext): Members<MessagesTool>[] {
  const { request } = context;
  const allowed = findAllowedNames(request.toolChoice);
  const offered = allowed
    ? request.tools.filter((tool) => tool.name !== undefined && allowed.has(tool.name))
    : request.tools;
  return offered.map((tool) => encodeTool(tool, context));
}

function encodeTool(tool: Tool, { names, dialect }: EncodeContext): Members<MessagesTool> {
  if (tool.type === 'custom') return refuseFeature(`the custom tool ${tool.name}`, 'tools');
  if (tool.type === 'native') {
    if (tool.format !== 'messages')
      return refuseFeature(`the tool ${tool.name ?? 'without a name'}`, 'tools');
    return tool.value;
  }
  const isStrict = tool.strict === true && dialect.strictTools;
  const schema = toInputSchema(tool.inputSchema);
  const encoded: Members<MessagesTool> = {
    name: names.encode(tool.name),
    input_schema: isStrict ? sanitizeSchema(schema) : schema,
  };
  if (tool.description !== undefined) encoded.description = tool.description;
  if (isStrict) encoded.strict = true;
  if (tool.deferLoading && dialect.toolSearch) encoded.defer_loading = true;
  if (tool.cache && dialect.cacheMarks === 'cache_control')
    encoded.cache_control = encodeCacheMark(tool.cache);
  return encoded;
}

/** Anthropic requires an object schema; Chat tools without parameters have none. */
function toInputSchema(schema: Members<JsonSchema> | undefined): Members<JsonSchema> {
  if (!schema) return { type: 'object', properties: {} };
  return schema.type === 'object' ? schema : { ...schema, type: 'object' };
}

/** Chat's `allowed_tools`. */
interface AllowedTools {
  mode: string;
  tools: { name: string; function: { name: string } }[];
}

/** Only these may be called. */
function findAllowedNames(choice: ToolChoice | undefined): Set<string> | undefined {
  const tools = findAllowed(choice)?.tools;
  if (!isArray(tools)) return undefined;
  const names = tools.filter(isObject).map((tool) => {
    const { name } = isObject(tool.function) ? tool.function : tool;
    return typeof name === 'string' ? name : '';
  });
  return new Set(names);
}

function findAllowed(choice: ToolChoice | undefined): Members<AllowedTools> | undefined {
  if (choice?.type !== 'native' || choice.format !== 'chat') return undefined;
  const { allowed_tools: allowed }: Members<{ allowed_tools: AllowedTools }> = choice.value;
  return isObject(allowed) ? allowed : undefined;
}

/** `undefined` for the default. While thinking, Anthropic refuses a choice that forces a call. */
export function encodeToolChoice(
  context: EncodeContext,
  isThinking: boolean,
): Members<MessagesToolChoice> | undefined {
  const { request, dialect } = context;
  const choice = toChoice(context, dialect.forcedToolChoice && !isThinking);
  if (request.parallelToolCalls !== false || !dialect.parallelToolCalls) return choice;
  if (choice?.type === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true };
}

function toChoice(
  { request: { toolChoice: choice }, names }: EncodeContext,
  mayForce: boolean,
): Members<MessagesToolChoice> | undefined {
  switch (choice?.type) {
    case undefined:
      return undefined;
    case 'auto':
    case 'none':
      return { type: choice.type };
    case 'any':
      return { type: mayForce ? 'any' : 'auto' };
    case 'tool':
      return mayForce ? { type: 'tool', name: names.encode(choice.name) } : { type: 'auto' };
    case 'native':
      if (choice.format === 'messages') return choice.value;
      if (!findAllowed(choice)) return refuseFeature('this tool_choice', 'tool_choice');
      return { type: findAllowed(choice)?.mode === 'required' && mayForce ? 'any' : 'auto' };
  }
}
