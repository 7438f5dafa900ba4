import type { FunctionTool, NativeTool, Tool, ToolChoice } from '#canonical';
import { decodeCacheMark } from '../decode-blocks.ts';
import type { MessagesBody, MessagesFunctionTool, MessagesTool } from '../schema.ts';

export function decodeTools(tools: MessagesBody['tools']): Tool[] {
  return tools?.map(decodeTool) ?? [];
}

export function decodeTool(given: MessagesTool): Tool {
  const tool = isFunction(given) ? decodeFunction(given) : decodeNative(given);
  const cache = decodeCacheMark(given.cache_control);
  if (cache) tool.cache = cache;
  return tool;
}

function isFunction(tool: MessagesTool): tool is MessagesFunctionTool {
  return (tool.type ?? 'custom') === 'custom';
}

function decodeFunction(given: MessagesFunctionTool): FunctionTool {
  const { name, input_schema: inputSchema, description, strict, defer_loading: isDeferred } = given;
  const tool: FunctionTool = { type: 'function', name, inputSchema };
  if (typeof description === 'string') tool.description = description;
  if (typeof strict === 'boolean') tool.strict = strict;
  if (isDeferred) tool.deferLoading = true;
  return tool;
}

function decodeNative(value: MessagesTool): NativeTool {
  const tool: NativeTool = { type: 'native', format: 'messages', value };
  if (typeof value.name === 'string') tool.name = value.name;
  return tool;
}

interface DecodedChoice {
  toolChoice?: ToolChoice;
  parallelToolCalls?: false;
}

export function decodeToolChoice(choice: MessagesBody['tool_choice']): DecodedChoice {
  if (!choice) return {};
  const decoded: DecodedChoice = { toolChoice: toToolChoice(choice) };
  if (choice.disable_parallel_tool_use) decoded.parallelToolCalls = false;
  return decoded;
}

function toToolChoice(choice: NonNullable<MessagesBody['tool_choice']>): ToolChoice {
  const { type } = choice;
  if (type === 'auto' || type === 'any' || type === 'none') return { type };
  if (type === 'tool' && 'name' in choice) return { type, name: choice.name };
  return { type: 'native', format: 'messages', value: choice };
}
