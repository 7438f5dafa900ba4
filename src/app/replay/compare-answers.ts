import type { Block, GenerationResult, ToolCallBlock } from '#canonical';
import type { AnswerAgreement, ToolAgreement } from './report.ts';
import { isDeepStrictEqual } from 'node:util';
import { FILE_HEADERS_ONLY, createTwoFilesPatch } from 'diff';
import { parseExact } from '#base';
import { inputJsonOf } from '#canonical';

/** Texts with little in common take seconds and have no useful diff. */
const MOST_DIFF_MS = 1_000;
const MOST_DIFF_CHARACTERS = 100_000;
/** Languages without spaces have words too. */
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'word' });

type Answer = Pick<GenerationResult, 'blocks'>;

/** Compares what two answers say and call; thinking does not count. Pure. */
export function compareAnswers(was: Answer, now: Answer): AnswerAgreement {
  const wordsInCommon = shareWords(textOf(was), textOf(now));
  return {
    tools: compareCalls(was.blocks.filter(isCall), now.blocks.filter(isCall)),
    ...(wordsInCommon !== undefined && { wordsInCommon }),
  };
}

function compareCalls(was: readonly ToolCallBlock[], now: readonly ToolCallBlock[]): ToolAgreement {
  if (was.length === 0 && now.length === 0) return 'none';
  const isSameTools = was.length === now.length && was.every(({ name }, at) => name === now[at]?.name);
  if (!isSameTools) return 'different';
  return was.every((call, at) => isDeepStrictEqual(inputOf(call), inputOf(now[at] ?? call)))
    ? 'same'
    : 'same_tools';
}

/** Equal JSON values are equal, whatever the order of their members; other text must be the same. */
function inputOf(call: ToolCallBlock): unknown {
  const text = inputJsonOf(call);
  return (call.custom ? undefined : parseExact(text)) ?? text;
}

/** Twice the common words by the words of both. */
function shareWords(was: string, now: string): number | undefined {
  if (was === '' && now === '') return undefined;
  const [before, after] = [countWords(was), countWords(now)];
  const total = sum(before.values()) + sum(after.values());
  if (total === 0) return was === now ? 1 : 0;
  const common = sum([...before].map(([word, count]) => Math.min(count, after.get(word) ?? 0)));
  return (2 * common) / total;
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { segment, isWordLike } of SEGMENTER.segment(text))
    if (isWordLike === true) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  return counts;
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}

const isCall = (block: Block): block is ToolCallBlock => block.type === 'tool-call';

function textOf({ blocks }: Answer): string {
  return blocks.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n');
}

/** The unified diff of text and calls, empty if there is none. Pure. */
export function diffAnswers(was: Answer, now: Answer, names: { was: string; now: string }): string {
  const [before, after] = [print(was), print(now)];
  if (before === after) return '';
  const options = { context: 3, timeout: MOST_DIFF_MS, headerOptions: FILE_HEADERS_ONLY };
  const text =
    createTwoFilesPatch(names.was, names.now, before, after, undefined, undefined, options) ??
    'the answers differ too much for a diff\n';
  if (text.length <= MOST_DIFF_CHARACTERS) return text;
  return `${text.slice(0, MOST_DIFF_CHARACTERS)}\n… cut after ${MOST_DIFF_CHARACTERS} characters\n`;
}

/** One line per line of text, and one per member of a call's arguments. */
function print({ blocks }: Answer): string {
  return blocks.flatMap(printBlock).join('');
}

function printBlock(block: Block): string[] {
  if (block.type === 'text') return [block.text.endsWith('\n') ? block.text : `${block.text}\n`];
  if (!isCall(block)) return [];
  const input = inputOf(block);
  const text = typeof input === 'string' ? input : JSON.stringify(sortMembers(input), null, 2);
  return [`${block.name}(${text})\n`];
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, sortMembers(member)] as const);
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
