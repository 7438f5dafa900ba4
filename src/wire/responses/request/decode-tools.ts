import type { JsonObject } from '#base';
import type { CustomTool, FunctionTool, NativeTool, Tool, ToolChoice } from '#canonical';
import { refuse } from '../../body/read-field.ts';
import type { ResponsesItem, ResponsesToolItem } from '../item-schema.ts';
import { ToolNaming } from '../namespaces.ts';
import type { ResponsesBody, ResponsesJoined, ResponsesNamedChoice } from '../schema.ts';
import {
  MOST_TOOLS,
  type ResponsesCallable,
  type ResponsesNamespace,
  type ResponsesTool,
} from '../tool-schema.ts';

type Kind<Type> = ResponsesCallable & { type: Type };

/** A tool as listed. */
interface ListedTool {
  tool: ResponsesTool;
  /** The item that lists it; none for those of `tools`. */
  item?: ResponsesToolItem['type'];
}

/** A callable tool as listed. */
interface PlacedTool {
  tool: ResponsesCallable;
  namespace?: string;
}

/** The tools of a request and their flat names. */
interface DecodedTools {
  tools: Tool[];
  naming: ToolNaming;
}

/**
 * Decodes `tools` and those that items of the conversation add; those inside a namespace become tools with one flat
 * name. A tool that is listed again replaces the earlier one.
 */
export function decodeTools({ tools, input }: Pick<ResponsesJoined, 'tools' | 'input'>): DecodedTools {
  const known = new Map<string | number, PlacedTool | NativeTool>();
  for (const listed of listTools(tools, input)) {
    if (isCallable(listed.tool)) addPlaced(known, { tool: listed.tool });
    else if (isNamespace(listed.tool)) {
      const { name: namespace, tools: inner } = listed.tool;
      for (const tool of inner) addPlaced(known, { tool, namespace });
    } else if (listed.item !== 'tool_search_output') known.set(known.size, decodeNative(listed));
    if (listed.item && known.size > MOST_TOOLS) refuse('input', `at most ${MOST_TOOLS} tools are accepted`);
  }
  const entries = [...known.values()];
  const naming = new ToolNaming(entries.flatMap((entry) => ('tool' in entry ? nameOf(entry) : [])));
  return { tools: entries.map((entry) => ('tool' in entry ? decodePlaced(entry, naming) : entry)), naming };
}

function listTools(tools: ResponsesBody['tools'], input: ResponsesJoined['input']): ListedTool[] {
  const listed: ListedTool[] = (tools ?? []).map((tool) => ({ tool }));
  if (typeof input === 'string') return listed;
  for (const item of input) {
    if (!isToolItem(item)) continue;
    for (const tool of item.tools ?? []) listed.push({ tool, item: item.type });
  }
  return listed;
}

function isToolItem(item: ResponsesItem): item is ResponsesToolItem {
  return item.type === 'additional_tools' || item.type === 'tool_search_output';
}

function isCallable(tool: ResponsesTool): tool is ResponsesCallable {
  return tool.type === 'function' || tool.type === 'custom';
}

function isNamespace(tool: ResponsesTool): tool is ResponsesNamespace {
  return tool.type === 'namespace';
}

function addPlaced(known: Map<string | number, PlacedTool | NativeTool>, placed: PlacedTool): void {
  known.set(JSON.stringify(nameOf(placed)), placed);
}

function nameOf({ tool: { name }, namespace }: PlacedTool): { namespace?: string; name: string } {
  return { ...(namespace !== undefined && { namespace }), name };
}

function decodeNative({ tool: value, item }: ListedTool): NativeTool {
  const name: unknown = 'name' in value ? value.name : undefined;
  const named = typeof name === 'string' ? { name } : {};
  return { type: 'native', format: 'responses', ...named, value, ...(item && { isAdded: true }) };
}

function decodePlaced({ tool: given, namespace }: PlacedTool, naming: ToolNaming): Tool {
  const tool = given.type === 'function' ? decodeFunction(given) : decodeCustom(given);
  if (namespace === undefined) return tool;
  const { name } = given;
  const kept = { ...tool.extra?.responses, namespace, name };
  return { ...tool, name: naming.find({ namespace, name }), extra: { responses: kept } };
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
export function decodeToolChoice(
  choice: ResponsesBody['tool_choice'],
  naming: ToolNaming,
): ToolChoice | undefined {
  if (!choice) return undefined;
  if (typeof choice === 'string') return { type: choice === 'required' ? 'any' : choice };
  if (choice.type === 'function' || choice.type === 'custom')
    return { type: 'tool', name: naming.find(choice as ResponsesNamedChoice) };
  return { type: 'native', format: 'responses', value: choice };
}
