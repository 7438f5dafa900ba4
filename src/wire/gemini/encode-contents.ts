import { type JsonObject, append } from '#base';
import type { Block, ToolCallBlock, ToolResultBlock, Turn } from '#canonical';
import type { EncodeContext } from './encode-context.ts';
import { encodeMedia } from './encode-media.ts';
import { encodeModelParts } from './encode-model-parts.ts';
import { encodeOrphan, encodeToolResult } from './encode-tool-result.ts';

const FILLER = '…';

interface Content {
  role: 'user' | 'model';
  parts: JsonObject[];
}

/**
 * Writes turns as contents that alternate between user and model and begin with the user. The content after a model's
 * calls begins with one function response per call, in the order of the calls.
 */
export function encodeContents(turns: readonly Turn[], context: EncodeContext): JsonObject[] {
  const contents: Content[] = [];
  for (let at = 0; at < turns.length;) {
    const next = findEnd(turns, at);
    const run = turns.slice(at, next);
    const calls = turns[at]?.role === 'assistant' ? addModel(contents, run, context) : [];
    at = next;
    const end = calls.length > 0 ? findEnd(turns, at) : at;
    if (calls.length > 0) addUser(contents, { turns: turns.slice(at, end), calls }, context);
    else if (run[0]?.role !== 'assistant') addUser(contents, { turns: run, calls }, context);
    at = end;
  }
  if (contents[0]?.role !== 'user') contents.unshift({ role: 'user', parts: [{ text: FILLER }] });
  return contents.map(({ role, parts }) => ({ role, parts }));
}

/** The end of the run that begins here: of assistant turns, or of all others. */
function findEnd(turns: readonly Turn[], from: number): number {
  const isModel = turns[from]?.role === 'assistant';
  let end = from + 1;
  while (end < turns.length && (turns[end]?.role === 'assistant') === isModel) end += 1;
  return end;
}

function addModel(contents: Content[], run: readonly Turn[], context: EncodeContext): ToolCallBlock[] {
  const blocks = run.flatMap((turn) => turn.blocks);
  addParts(contents, 'model', encodeModelParts(blocks, context));
  return blocks.filter((block) => block.type === 'tool-call');
}

function addParts(contents: Content[], role: Content['role'], parts: JsonObject[]): void {
  if (parts.length === 0) return;
  const last = contents.at(-1);
  if (last?.role === role) append(last.parts, parts);
  else contents.push({ role, parts });
}

/** The turns after a model's calls, and those calls. */
interface Span {
  turns: readonly Turn[];
  calls: readonly ToolCallBlock[];
}

function addUser(contents: Content[], { turns, calls }: Span, context: EncodeContext): void {
  const results = collectResults(turns, calls);
  const parts: JsonObject[] = [];
  const beside: JsonObject[] = [];
  for (const call of calls) {
    const encoded = encodeToolResult(call, results.get(call.id) ?? [], context);
    parts.push(encoded.part);
    append(beside, encoded.beside);
  }
  append(parts, beside);
  for (const block of turns.flatMap((turn) => turn.blocks)) {
    const isAnswer = block.type === 'tool-result' && results.has(block.callId);
    if (!isAnswer) append(parts, encodeUserBlock(block, context));
  }
  addParts(contents, 'user', parts);
}

function collectResults(
  turns: readonly Turn[],
  calls: readonly ToolCallBlock[],
): Map<string, ToolResultBlock[]> {
  const called = new Set(calls.map((call) => call.id));
  const results = new Map<string, ToolResultBlock[]>();
  for (const block of turns.flatMap((turn) => turn.blocks)) {
    if (block.type !== 'tool-result' || !called.has(block.callId)) continue;
    const known = results.get(block.callId);
    if (known) known.push(block);
    else results.set(block.callId, [block]);
  }
  return results;
}

function encodeUserBlock(block: Block, context: EncodeContext): JsonObject[] {
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ text: block.text }];
    case 'media':
      return encodeMedia(block, context.dialect);
    case 'tool-result':
      return encodeOrphan(block, context);
    case 'native':
      return block.format === 'gemini' ? [block.value] : [];
    default:
      return [];
  }
}
