import type { JsonObject, JsonValue } from '#base';
import type { CustomTool, FunctionTool, Tool, ToolChoice } from '#canonical';
import type { ResponsesBody, ResponsesTool, ResponsesToolChoice } from './schema.ts';
import type { Members } from '../unchecked.ts';
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
  requireWord,
} from '../read-field.ts';
import { flattenName } from './namespaces.ts';

const MOST_TOOLS = 10_000;
/** Members of a function or custom tool that the neutral model lacks. */
const KEPT = ['allowed_callers', 'async', 'output_schema'] as const;

/** Decodes `tools`; those inside a namespace become tools with one flat name. */
export function decodeTools(body: Members<ResponsesBody>): Tool[] {
  const list = readMember(body, 'tools', requireArray) ?? [];
  if (list.length > MOST_TOOLS) return refuse('tools', `at most ${MOST_TOOLS} are accepted`);
  return list.flatMap((tool, at) => decodeTool(requireObject(tool, `tools[${at}]`), `tools[${at}]`));
}

function decodeTool(tool: Members<ResponsesTool>, path: string): Tool[] {
  const type = requireText(tool.type, `${path}.type`);
  switch (type) {
    case 'function':
      return [decodeFunction(tool, path)];
    case 'custom':
      return [decodeCustom(tool, path)];
    case 'namespace':
      return decodeNamespace(tool, path);
    default: {
      const { name } = tool;
      return [
        { type: 'native', format: 'responses', ...(typeof name === 'string' && { name }), value: tool },
      ];
    }
  }
}

function decodeNamespace(space: Members<ResponsesTool>, path: string): Tool[] {
  const namespace = requireText(space.name, `${path}.name`);
  return requireArray(space.tools, `${path}.tools`).map((value, at) => {
    const inner = `${path}.tools[${at}]`;
    const raw = requireObject(value, inner);
    const type = requireWord(raw.type, `${inner}.type`, ['function', 'custom']);
    const tool = type === 'function' ? decodeFunction(raw, inner) : decodeCustom(raw, inner);
    const { name } = tool;
    const kept = { ...tool.extra?.responses, namespace, name };
    return { ...tool, name: flattenName({ namespace, name }), extra: { responses: kept } };
  });
}

function decodeFunction(raw: Members<ResponsesTool>, path: string): FunctionTool {
  const { description, parameters, strict, defer_loading: deferred } = raw;
  const tool: FunctionTool = { type: 'function', name: requireText(raw.name, path, '.name') };
  if (isPresent(description)) tool.description = requireString(description, path, '.description');
  if (isPresent(parameters)) tool.inputSchema = requireObject(parameters, path, '.parameters');
  if (isPresent(strict)) tool.strict = requireBoolean(strict, path, '.strict');
  if (isPresent(deferred) && requireBoolean(deferred, path, '.defer_loading')) tool.deferLoading = true;
  const kept = keepMembers(raw, KEPT);
  if (kept) tool.extra = { responses: kept };
  return tool;
}

function decodeCustom(raw: Members<ResponsesTool>, path: string): CustomTool {
  const { description, format } = raw;
  const tool: CustomTool = { type: 'custom', name: requireText(raw.name, path, '.name') };
  if (isPresent(description)) tool.description = requireString(description, path, '.description');
  if (isPresent(format)) tool.format = requireObject(format, path, '.format');
  const kept = keepMembers(raw, [...KEPT, 'defer_loading']);
  if (kept) tool.extra = { responses: kept };
  return tool;
}

function keepMembers(
  raw: Members<ResponsesTool>,
  names: readonly (keyof Members<ResponsesTool>)[],
): JsonObject | undefined {
  const kept = names.filter((name) => raw[name] !== undefined && raw[name] !== null);
  return kept.length > 0 ? Object.fromEntries(kept.map((name) => [name, raw[name]])) : undefined;
}

/** Decodes `tool_choice`: a mode, a tool by name, a set of allowed tools, or a tool that exists only in this format. */
export function decodeToolChoice(value: Members<ResponsesBody>['tool_choice']): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) return readWord(value);
  switch (value.type) {
    case 'function':
    case 'custom':
      return { type: 'tool', name: readName(value, 'tool_choice') };
    case 'allowed_tools': {
      requireWord(value.mode, 'tool_choice.mode', ['auto', 'required']);
      const tools = requireArray(value.tools, 'tool_choice.tools');
      tools.forEach((tool, at) => requireObject(tool, `tool_choice.tools[${at}]`));
      return { type: 'native', format: 'responses', value };
    }
    default:
      requireText(value.type, 'tool_choice.type');
      return { type: 'native', format: 'responses', value };
  }
}

function readName(value: Members<ResponsesToolChoice>, path: string): string {
  const name = requireText(value.name, `${path}.name`);
  const { namespace } = value;
  if (!isPresent(namespace)) return name;
  return flattenName({ namespace: requireText(namespace, path, '.namespace'), name });
}

function readWord(value: JsonValue): ToolChoice {
  switch (value) {
    case 'none':
    case 'auto':
      return { type: value };
    case 'required':
      return { type: 'any' };
    default:
      return refuse('tool_choice', 'must be none, auto, required or an object that names a tool');
  }
}
