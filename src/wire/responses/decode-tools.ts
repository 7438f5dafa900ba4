import type { JsonObject } from '#base';
import type { CustomTool, FunctionTool, Tool, ToolChoice } from '#canonical';
import { isPresent } from '../read-field.ts';
import { flattenName } from './namespaces.ts';
import type {
  ResponsesBody,
  ResponsesCallable,
  ResponsesKnownTool,
  ResponsesNamedChoice,
  ResponsesTool,
} from './schema.ts';

type Kind<Type> = ResponsesKnownTool & { type: Type };

/** Decodes `tools`; those inside a namespace become tools with one flat name. */
export function decodeTools(tools: ResponsesBody['tools']): Tool[] {
  return tools?.flatMap(decodeTool) ?? [];
}

function isKnown({ type }: ResponsesTool): boolean {
  return type === 'function' || type === 'custom' || type === 'namespace';
}

function decodeTool(tool: ResponsesTool): Tool[] {
  if (isKnown(tool)) {
    const known = tool as ResponsesKnownTool;
    return known.type === 'namespace' ? decodeNamespace(known) : [decodeCallable(known)];
  }
  const name: unknown = 'name' in tool ? tool.name : undefined;
  return [{ type: 'native', format: 'responses', ...(typeof name === 'string' && { name }), value: tool }];
}

function decodeNamespace({ name: namespace, tools }: Kind<'namespace'>): Tool[] {
  return tools.map((given) => {
    const tool = decodeCallable(given);
    const { name } = tool;
    const kept = { ...tool.extra?.responses, namespace, name };
    return { ...tool, name: flattenName({ namespace, name }), extra: { responses: kept } };
  });
}

function decodeCallable(tool: ResponsesCallable): FunctionTool | CustomTool {
  return tool.type === 'function' ? decodeFunction(tool) : decodeCustom(tool);
}

function decodeFunction(given: Kind<'function'>): FunctionTool {
  const { name, description, parameters, strict, defer_loading: isDeferred } = given;
  const tool: FunctionTool = { type: 'function', name };
  if (typeof description === 'string') tool.description = description;
  if (parameters) tool.inputSchema = parameters;
  if (typeof strict === 'boolean') tool.strict = strict;
  if (isDeferred) tool.deferLoading = true;
  const kept = keepMembers(given);
  if (kept) tool.extra = { responses: kept };
  return tool;
}

function decodeCustom(given: Kind<'custom'>): CustomTool {
  const { name, description, format, defer_loading: deferral } = given;
  const tool: CustomTool = { type: 'custom', name };
  if (typeof description === 'string') tool.description = description;
  if (format) tool.format = format;
  const kept = keepMembers(given, deferral);
  if (kept) tool.extra = { responses: kept };
  return tool;
}

/** Members that the neutral model lacks. */
function keepMembers(
  { allowed_callers, async, output_schema }: ResponsesCallable,
  defer_loading?: Kind<'custom'>['defer_loading'],
): JsonObject | undefined {
  const kept = Object.entries({ allowed_callers, async, output_schema, defer_loading }).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** Decodes `tool_choice`: a mode, a tool by name, a set of allowed tools, or a tool that exists only in this format. */
export function decodeToolChoice(choice: ResponsesBody['tool_choice']): ToolChoice | undefined {
  if (!choice) return undefined;
  if (typeof choice === 'string') return { type: choice === 'required' ? 'any' : choice };
  if (choice.type === 'function' || choice.type === 'custom') {
    const { name, namespace } = choice as ResponsesNamedChoice;
    return { type: 'tool', name: isPresent(namespace) ? flattenName({ namespace, name }) : name };
  }
  return { type: 'native', format: 'responses', value: choice };
}
