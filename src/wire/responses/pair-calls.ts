import type { Block, ToolResultBlock, Turn } from '#canonical';
import type { AnsweredCall } from './encode-tool-result.ts';

/** A call and all that it came to. */
export interface Answered {
  call: AnsweredCall;
  results: ToolResultBlock[];
}

/** The calls and results of a conversation that belong together, by both; a result without a call is not among them. */
export function pairCalls(turns: readonly Turn[]): ReadonlyMap<Block, Answered> {
  const pairs = new Map<Block, Answered>();
  const latest = new Map<string, Answered>();
  for (const block of turns.flatMap((turn) => turn.blocks)) {
    if (block.type === 'tool-call') {
      const pair = { call: { id: block.id, isCustom: block.custom === true }, results: [] };
      pairs.set(block, pair);
      latest.set(block.id, pair);
    } else if (block.type === 'tool-result') {
      const pair = latest.get(block.callId);
      pair?.results.push(block);
      if (pair) pairs.set(block, pair);
    }
  }
  return pairs;
}
