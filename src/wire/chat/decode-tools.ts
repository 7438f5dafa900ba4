import type { JsonObject, JsonValue } from '#base';
import type { FunctionTool, Tool, ToolChoice } from '#canonical';
import { decodeCacheMark } from './cache-marks.ts';
import type { ChatBody, ChatCustomFormat, ChatFunction, ChatTool } from './schema.ts';
import type { ArrayOf, Members, Unchecked } from '../unchecked.ts';
import {
  isObject,
  isPresent,
  readMember,
  refuse,
  requireArray,
  requireBoolean,
  requireObject,
  requireString,
  requireText,
} from './read-field.ts';

const MOST_TOOLS = 10_000;

/** Reads `tools` and the deprecated `functions`. */
export function decodeTools(body: Members<ChatBody>): Tool[] {
  const tools =
    readMember(body, 'tools', readList)?.map((tool, at) => decodeTool(tool, `tools[${at}]`)) ?? [];
  readMember(body, 'functions', readList)?.forEach((tool, at) => {
    const path = `functions[${at}]`;
    tools.push(decodeFunction(requireObject(tool, path), path));
  });
  return tools;
}

function readList<V extends JsonValue>(value: V, path: string): ArrayOf<V> {
  const list = requireArray(value, path);
  return list.length > MOST_TOOLS ? refuse(path, `at most ${MOST_TOOLS} are accepted`) : list;
}

function decodeTool(value: Unchecked<ChatTool>, path: string): Tool {
  const tool = requireObject(value, path);
  const cache = decodeCacheMark(tool, path);
  if (tool.type === 'function') {
    const place = `${path}.function`;
    const decoded = decodeFunction(requireObject(tool.function, place), place);
    if (cache) decoded.cache = cache;
    return decoded;
  }
  if (tool.type === 'custom') {
    const custom = requireObject(tool.custom, `${path}.custom`);
    const name = requireText(custom.name, `${path}.custom.name`);
    const { description, format } = custom;
    return {
      type: 'custom',
      name,
      ...(typeof description === 'string' && { description }),
      ...(isObject(format) && { format: decodeCustomFormat(format) }),
      ...(cache && { cache }),
    };
  }
  return refuse(`${path}.type`, 'must be function or custom');
}

/** Chat nests a grammar one level deeper than the neutral form. */
function decodeCustomFormat(format: Members<ChatCustomFormat>): JsonObject {
  const { type, grammar } = format;
  return type === 'grammar' && isObject(grammar) ? { type, ...grammar } : format;
}

function decodeFunction(value: Members<ChatFunction>, path: string): FunctionTool {
  const tool: FunctionTool = { type: 'function', name: requireText(value.name, path, '.name') };
  const { description, parameters, strict } = value;
  if (isPresent(description)) tool.description = requireString(description, path, '.description');
  if (isPresent(parameters)) tool.inputSchema = requireObject(parameters, path, '.parameters');
  if (isPresent(strict)) tool.strict = requireBoolean(strict, path, '.strict');
  return tool;
}

/** Reads `tool_choice`, or the deprecated `function_call`. */
export function decodeToolChoice(body: Members<ChatBody>): ToolChoice | undefined {
  const { tool_choice: choice, function_call: legacy } = body;
  if (isPresent(choice)) return readChoice(choice);
  if (!isPresent(legacy)) return undefined;
  if (isObject(legacy)) return { type: 'tool', name: requireText(legacy.name, 'function_call.name') };
  return readWord(legacy, 'function_call');
}

function readChoice(value: NonNullable<Members<ChatBody>['tool_choice']>): ToolChoice {
  if (!isObject(value)) return readWord(value, 'tool_choice');
  switch (value.type) {
    case 'function': {
      const named = requireObject(value.function, 'tool_choice.function');
      return { type: 'tool', name: requireText(named.name, 'tool_choice.function.name') };
    }
    case 'custom': {
      const named = requireObject(value.custom, 'tool_choice.custom');
      return { type: 'tool', name: requireText(named.name, 'tool_choice.custom.name') };
    }
    case 'allowed_tools':
      requireObject(value.allowed_tools, 'tool_choice.allowed_tools');
      return { type: 'native', format: 'chat', value };
    default:
      return refuse('tool_choice.type', 'must be one of function, custom, allowed_tools');
  }
}

function readWord(value: JsonValue, path: string): ToolChoice {
  switch (value) {
    case 'none':
    case 'auto':
      return { type: value };
    case 'required':
      return { type: 'any' };
    default:
      return refuse(path, 'must be none, auto, required or an object that names a tool');
  }
}
