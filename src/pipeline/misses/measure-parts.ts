import { crc32 } from 'node:zlib';
import type { Block, CanonicalRequest, ToolCallBlock, ToolResultBlock, Turn } from '#canonical';
import type { CallPart, PromptChain, PromptParts, ToolSample } from '#logs';
import { inputJsonOf } from '#canonical';
import { MOST_CALLS, combineHashes } from '#logs';

type Prompt = Pick<CanonicalRequest, 'turns' | 'tools' | 'toolChoice'>;

interface Measured {
  chain: PromptChain;
  toolNames: readonly string[];
  /** Characters of each tool, system block and turn. */
  lengths: Uint32Array;
}

const COMPARED_CHARACTERS = 4_096;
const UNKNOWN_TOOL = 0xff;
/** How many tool names a stored chain has. */
const MOST_SAMPLED = 64;

/** The lengths of a prompt's parts, its tool calls, and a hash of the newest answer's calls and results. */
export function measureParts(prompt: Prompt, { chain, toolNames, lengths }: Measured): PromptParts {
  const { turns } = prompt;
  const toolCount = chain.tools.length;
  const systemEnd = toolCount + chain.system.length;
  const places = new Map(toolNames.map((name, at) => [name, at]));
  const newest = findNewest(turns);
  const results = newest && listCalls(newest, places);
  const sample = pickTool(chain, toolNames, lengths);
  return {
    toolLength: sumOf(lengths.subarray(0, toolCount)),
    systemLength: sumOf(lengths.subarray(toolCount, systemEnd)),
    turnLength: sumOf(lengths.subarray(systemEnd)),
    first: chain.turns[0] ?? 0,
    step: newest && results ? hashStep(newest, results) : 0,
    called: listCalled(prompt, places),
    calls: results?.slice(0, MOST_CALLS) ?? [],
    ...(sample && { sample }),
  };
}

const sumOf = (lengths: Uint32Array): number => lengths.reduce((sum, length) => sum + length, 0);

/** Tools that providers run count as called: their calls are not in every prompt. */
function listCalled({ turns, tools, toolChoice }: Prompt, places: Map<string, number>): number[] {
  const called = new Set<number>();
  for (const [at, { type }] of tools.entries()) if (type === 'native') called.add(at);
  const add = (name: string): void => {
    const place = places.get(name);
    if (place !== undefined) called.add(place);
  };
  if (toolChoice?.type === 'tool') add(toolChoice.name);
  for (const { blocks } of turns) for (const block of blocks) if (block.type === 'tool-call') add(block.name);
  return [...called];
}

/** The turns of the newest answer, and those after it. */
interface Newest {
  answer: readonly Turn[];
  after: readonly Turn[];
}

function findNewest(turns: readonly Turn[]): Newest | undefined {
  const last = turns.findLastIndex(({ role }) => role === 'assistant');
  if (last === -1 || last === turns.length - 1) return undefined;
  const before = turns.findLastIndex(({ role }, at) => at < last && role !== 'assistant');
  return { answer: turns.slice(before + 1, last + 1), after: turns.slice(last + 1) };
}

function listCalls({ answer, after }: Newest, places: Map<string, number>): CallPart[] {
  const results = new Map<string, ToolResultBlock>();
  for (const { blocks } of after)
    for (const block of blocks) if (block.type === 'tool-result') results.set(block.callId, block);
  const calls = answer.flatMap(({ blocks }) => blocks.filter((block) => block.type === 'tool-call'));
  return calls.flatMap((call) => {
    const result = results.get(call.id);
    return result ? [measureCall(call, result, places)] : [];
  });
}

function measureCall(call: ToolCallBlock, result: ToolResultBlock, places: Map<string, number>): CallPart {
  const texts = result.blocks.map(textOf);
  const hash = [inputJsonOf(call), ...texts].reduce((sum, text) => crc32(text, sum), crc32(call.name));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return { tool: places.get(call.name) ?? UNKNOWN_TOOL, hash, length };
}

/** Ids and reasoning differ each time: equal steps have equal calls and results or, without calls, equal texts. */
function hashStep({ answer, after }: Newest, calls: readonly CallPart[]): number {
  if (calls.length > 0) return calls.reduce((sum, { hash }) => combineHashes(sum, hash), 1);
  const texts = [...answer, ...after].flatMap(({ blocks }) => blocks.map(textOf));
  if (texts.every((text) => text === '')) return 0;
  return texts.reduce((sum, text) => combineHashes(sum, crc32(text)), 2);
}

function textOf(block: Block): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'native') return JSON.stringify(block.value);
  if (block.type !== 'media') return '';
  const { source } = block;
  if ('blocks' in source) return source.blocks.map(textOf).join('\n');
  if ('url' in source) return source.url;
  if ('fileId' in source) return source.fileId;
  return sampleOf('text' in source ? source.text : source.base64);
}

/** The beginning and the end of an image or document. */
export function sampleOf(data: string): string {
  return `${data.length} ${data.slice(0, COMPARED_CHARACTERS)}${data.slice(-COMPARED_CHARACTERS)}`;
}

/** The next tool with each request of a conversation, from another one in each conversation. */
function pickTool(
  { toolNames: stored, turns, turnCount }: PromptChain,
  toolNames: readonly string[],
  lengths: Uint32Array,
): ToolSample | undefined {
  const count = Math.min(stored.length, MOST_SAMPLED);
  if (count === 0) return undefined;
  const tool = ((turns[0] ?? 0) + (turnCount >>> 1)) % count;
  return { tool, length: lengths[tool] ?? 0, name: toolNames[tool] ?? '' };
}
