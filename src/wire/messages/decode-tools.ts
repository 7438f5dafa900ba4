import type { FunctionTool, NativeTool, Tool, ToolChoice } from '#canonical';
import { findArray, findBoolean, findObject, findString, invalid, readObject, readString } from './checks.ts';
import { decodeCacheMark } from './decode-blocks.ts';
import type { MessagesBody, MessagesTool, MessagesToolChoice } from './schema.ts';
import type { Members, Unchecked } from '../unchecked.ts';

const MOST_TOOLS = 10_000;

export function decodeTools(value: Members<MessagesBody>['tools']): Tool[] {
  const raw = findArray(value, 'tools') ?? [];
  if (raw.length > MOST_TOOLS)
    throw invalid('tools', `at most ${MOST_TOOLS} tools are allowed, not ${raw.length}`);
  let deferred = 0;
  const tools = raw.map((item, at) => {
    const tool = readObject(item, `tools.${at}`);
    if (isDeferred(tool, `tools.${at}`)) deferred += 1;
    return decodeTool(tool, `tools.${at}`);
  });
  if (deferred > 0 && deferred === tools.length) {
    throw invalid('tools', 'at least one tool must not be deferred (normally the tool search tool)');
  }
  return tools;
}

function isDeferred(tool: Members<MessagesTool>, path: string): boolean {
  const deferred = findBoolean(tool.defer_loading, `${path}.defer_loading`) ?? false;
  if (deferred && tool.cache_control !== undefined && tool.cache_control !== null) {
    throw invalid(path, 'a tool cannot carry both defer_loading and cache_control');
  }
  return deferred;
}

function decodeTool(raw: Members<MessagesTool>, path: string): Tool {
  const type = findString(raw.type, `${path}.type`) ?? 'custom';
  const tool = type === 'custom' ? decodeFunctionTool(raw, path) : decodeNativeTool(raw, path);
  const cache = decodeCacheMark(raw.cache_control, `${path}.cache_control`);
  if (cache) tool.cache = cache;
  return tool;
}

function decodeFunctionTool(raw: Members<MessagesTool>, path: string): FunctionTool {
  const tool: FunctionTool = {
    type: 'function',
    name: readString(raw.name, `${path}.name`),
    inputSchema: readObject(raw.input_schema, `${path}.input_schema`),
  };
  const description = findString(raw.description, `${path}.description`);
  if (description !== undefined) tool.description = description;
  const strict = findBoolean(raw.strict, `${path}.strict`);
  if (strict !== undefined) tool.strict = strict;
  if (raw.defer_loading === true) tool.deferLoading = true;
  return tool;
}

function decodeNativeTool(raw: Members<MessagesTool>, path: string): NativeTool {
  const tool: NativeTool = { type: 'native', format: 'messages', value: raw };
  const name = findString(raw.name, `${path}.name`);
  if (name !== undefined) tool.name = name;
  return tool;
}

interface DecodedChoice {
  toolChoice?: ToolChoice;
  parallelToolCalls?: false;
}

export function decodeToolChoice(value: Unchecked<MessagesToolChoice> | undefined): DecodedChoice {
  const raw = findObject(value, 'tool_choice');
  if (!raw) return {};
  const isSingle =
    findBoolean(raw.disable_parallel_tool_use, 'tool_choice.disable_parallel_tool_use') ?? false;
  return { toolChoice: toToolChoice(raw), ...(isSingle && { parallelToolCalls: false }) };
}

function toToolChoice(raw: Members<MessagesToolChoice>): ToolChoice {
  const type = readString(raw.type, 'tool_choice.type');
  if (type === 'auto' || type === 'any' || type === 'none') return { type };
  if (type === 'tool') return { type, name: readString(raw.name, 'tool_choice.name') };
  return { type: 'native', format: 'messages', value: raw };
}
