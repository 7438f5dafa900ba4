import type { JsonObject } from '#base';
import type { FunctionTool, Tool, ToolChoice } from '#canonical';
import { isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import { decodeCacheMark } from './cache-marks.ts';
import type {
  ChatBody,
  ChatCustom,
  ChatCustomFormat,
  ChatFunction,
  ChatTool,
  ChatToolChoice,
} from '../schema.ts';

/** Reads `tools` and the deprecated `functions`. */
export function decodeTools({ tools, functions }: ChatBody): Tool[] {
  return [...(tools?.map(decodeTool) ?? []), ...(functions?.map(decodeFunction) ?? [])];
}

function decodeTool(given: ChatTool): Tool {
  const tool = given.type === 'custom' ? decodeCustom(given.custom) : decodeFunction(given.function);
  const cache = decodeCacheMark(given);
  if (cache) tool.cache = cache;
  return tool;
}

function decodeCustom({ name, description, format }: ChatCustom): Tool {
  return {
    type: 'custom',
    name,
    ...(typeof description === 'string' && { description }),
    ...(isObject(format) && { format: decodeCustomFormat(format) }),
  };
}

/** Chat nests a grammar one level deeper than the neutral form. */
function decodeCustomFormat(format: Members<ChatCustomFormat>): JsonObject {
  const { type, grammar } = format;
  return type === 'grammar' && isObject(grammar) ? { type, ...grammar } : format;
}

function decodeFunction({ name, description, parameters, strict }: ChatFunction): FunctionTool {
  const tool: FunctionTool = { type: 'function', name };
  if (typeof description === 'string') tool.description = description;
  if (parameters) tool.inputSchema = parameters;
  if (typeof strict === 'boolean') tool.strict = strict;
  return tool;
}

/** Reads `tool_choice`, or the deprecated `function_call`. */
export function decodeToolChoice({
  tool_choice: choice,
  function_call: legacy,
}: ChatBody): ToolChoice | undefined {
  const chosen = choice ?? legacy;
  if (!chosen) return undefined;
  if (typeof chosen === 'string') return { type: chosen === 'required' ? 'any' : chosen };
  return 'type' in chosen ? decodeChoice(chosen) : { type: 'tool', name: chosen.name };
}

function decodeChoice(choice: Exclude<ChatToolChoice, string>): ToolChoice {
  switch (choice.type) {
    case 'function':
      return { type: 'tool', name: choice.function.name };
    case 'custom':
      return { type: 'tool', name: choice.custom.name };
    case 'allowed_tools':
      return { type: 'native', format: 'chat', value: choice };
  }
}
