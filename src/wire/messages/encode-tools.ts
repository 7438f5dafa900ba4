import { type JsonObject, isJsonObject } from '#base';
import type { CanonicalRequest, Target, Tool, ToolChoice } from '#canonical';
import { encodeCacheMark, unsupported } from './encode-blocks.ts';
import { sanitizeSchema } from './sanitize-schema.ts';
import type { ToolNames } from '../tool-names.ts';

export function encodeTools(request: CanonicalRequest, target: Target, names: ToolNames): JsonObject[] {
  const allowed = findAllowedNames(request.toolChoice);
  const offered = allowed
    ? request.tools.filter((tool) => tool.name !== undefined && allowed.has(tool.name))
    : request.tools;
  return offered.map((tool) => encodeTool(tool, target, names));
}

function encodeTool(tool: Tool, target: Target, names: ToolNames): JsonObject {
  const { dialect } = target;
  if (tool.type === 'custom') throw unsupported(`the custom tool ${tool.name}`, target, 'tools');
  if (tool.type === 'native') {
    if (tool.format !== 'messages')
      throw unsupported(`the tool ${tool.name ?? 'without a name'}`, target, 'tools');
    return tool.value;
  }
  const isStrict = tool.strict === true && dialect.strictTools;
  const schema = toInputSchema(tool.inputSchema);
  const encoded: JsonObject = {
    name: names.encode(tool.name),
    input_schema: isStrict ? sanitizeSchema(schema) : schema,
  };
  if (tool.description !== undefined) encoded['description'] = tool.description;
  if (isStrict) encoded['strict'] = true;
  if (tool.deferLoading && dialect.toolSearch) encoded['defer_loading'] = true;
  if (tool.cache && dialect.cacheMarks === 'cache_control')
    encoded['cache_control'] = encodeCacheMark(tool.cache);
  return encoded;
}

/** Anthropic requires an object schema; Chat tools without parameters have none. */
function toInputSchema(schema: JsonObject | undefined): JsonObject {
  if (!schema) return { type: 'object', properties: {} };
  return schema['type'] === 'object' ? schema : { ...schema, type: 'object' };
}

/** Chat's `allowed_tools`: only these may be called. */
function findAllowedNames(choice: ToolChoice | undefined): Set<string> | undefined {
  const tools = findAllowed(choice)?.['tools'];
  if (!Array.isArray(tools)) return undefined;
  const names = tools.filter(isJsonObject).map((tool) => {
    const named = isJsonObject(tool['function']) ? tool['function'] : tool;
    return typeof named['name'] === 'string' ? named['name'] : '';
  });
  return new Set(names);
}

function findAllowed(choice: ToolChoice | undefined): JsonObject | undefined {
  if (choice?.type !== 'native' || choice.format !== 'chat') return undefined;
  const { allowed_tools: allowed } = choice.value;
  return isJsonObject(allowed) ? allowed : undefined;
}

interface ChoiceContext {
  target: Target;
  names: ToolNames;
  /** While thinking, Anthropic refuses a choice that forces a call. */
  isThinking: boolean;
}

/** `undefined` for the default. */
export function encodeToolChoice(request: CanonicalRequest, context: ChoiceContext): JsonObject | undefined {
  const choice = toChoice(request.toolChoice, context);
  if (request.parallelToolCalls !== false || !context.target.dialect.parallelToolCalls) return choice;
  if (choice?.['type'] === 'none') return choice;
  return { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true };
}

function toChoice(
  choice: ToolChoice | undefined,
  { target, names, isThinking }: ChoiceContext,
): JsonObject | undefined {
  const mayForce = target.dialect.forcedToolChoice && !isThinking;
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
      if (!findAllowed(choice)) throw unsupported('this tool_choice', target, 'tool_choice');
      return { type: findAllowed(choice)?.['mode'] === 'required' && mayForce ? 'any' : 'auto' };
  }
}
