import { type CanonicalRequest, contentsOf } from '#canonical';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import { without } from '../../body/without.ts';
import { decodeTool } from './decode-tools.ts';
import type { MessagesTool } from '../schema.ts';

type RawTool = Members<MessagesTool>;

/** A block that adds or withdraws a tool from there on, or a summary of turns that had such blocks. */
interface ToolChangeBlock {
  type: string;
  tool: { type: string; name: string; definition: MessagesTool };
  tool_changes: ToolChangeBlock[];
}

export interface ToolChange {
  name: string;
  isWithdrawn: boolean;
  /** A tool that the request's `tools` does not list. */
  definition?: RawTool;
}

const CACHE_MARK = new Set<keyof RawTool>(['cache_control']);

/** The changes of the tools in a block; none in almost every block. */
export function readToolChanges(block: Members<ToolChangeBlock>): ToolChange[] {
  const { type, tool, tool_changes: summarized } = block;
  if (type === 'compaction') return itemsOf(summarized).filter(isObject).flatMap(readToolChanges);
  if ((type !== 'tool_addition' && type !== 'tool_removal') || !isObject(tool)) return [];
  const isWithdrawn = type === 'tool_removal';
  if (tool.type === 'tool_reference' && typeof tool.name === 'string')
    return [{ name: tool.name, isWithdrawn }];
  return tool.type === 'tool_definition' ? readDefinition(tool.definition) : [];
}

function readDefinition(definition: Unchecked<MessagesTool> | undefined): ToolChange[] {
  if (!isObject(definition) || typeof definition.name !== 'string') return [];
  const isFunction = (definition.type ?? 'custom') === 'custom';
  if (isFunction ? !isObject(definition.input_schema) : typeof definition.type !== 'string') return [];
  return [
    { name: definition.name, isWithdrawn: false, definition: without<RawTool>(definition, CACHE_MARK) },
  ];
}

/** The tools offered at the end of the conversation. */
export function applyToolChanges<Tool extends { name?: unknown }>(
  tools: readonly Tool[],
  changes: readonly ToolChange[],
  toTool: (definition: RawTool) => Tool,
): Tool[] {
  const withdrawn = new Set<unknown>();
  const defined = new Map<unknown, RawTool>();
  for (const { name, isWithdrawn, definition } of changes) {
    if (isWithdrawn) withdrawn.add(name);
    else withdrawn.delete(name);
    if (!definition) continue;
    defined.delete(name); // the latest is the last one offered
    defined.set(name, definition);
  }
  const listed = tools.filter((tool) => !defined.has(tool.name));
  return [...listed, ...[...defined.values()].map(toTool)].filter((tool) => !withdrawn.has(tool.name));
}

/** For a format without such blocks: the tools left after all changes are offered from the start. */
export function offerChangedTools(request: CanonicalRequest): CanonicalRequest {
  if (request.origin.format !== 'messages') return request;
  const changes = contentsOf(request).natives.flatMap(({ value }) => readToolChanges(value));
  if (changes.length === 0) return request;
  // Only checked members of a definition are read.
  const tools = applyToolChanges(request.tools, changes, (tool) => decodeTool(tool as MessagesTool));
  return { ...request, tools };
}
