import type { SetMarks } from '#canonical';
import { createLru } from '#base';
import { type PromptChain, combineHashes } from '#logs';
import type { HashedPrompt } from './hash-prompt.ts';

/** How far the beginning of a prompt was sent before, and about how many tokens that is. */
export interface SentPrefix {
  until: SetMarks;
  instructionTokens: number;
  promptTokens: number;
}

/** The usual lifetime of a cache. */
const RECENT_MS = 5 * 60_000;
const MOST_PREFIXES = 200_000;
/** Clients add a few turns to each request. */
const MOST_LOOKED_AT = 64;
/** Few, because a mark on a prompt that is too short costs nothing. */
const CHARACTERS_PER_TOKEN = 3;

/**
 * The beginnings of answered prompts, as hashes. Cache writes cost extra, so a mark is only worth it at a beginning that
 * was sent twice within the lifetime of a cache: tools and instructions, or a conversation that continues.
 */
export class SentPrefixes {
  readonly #sentAt = createLru<string, number>(MOST_PREFIXES);

  /** The part of a prompt that was sent lately within the same scope. Times are in milliseconds since the Unix epoch. */
  find(scope: string, { chain, lengths }: HashedPrompt, nowMs: number): SentPrefix | undefined {
    const isRecent = (name: string): boolean => nowMs - (this.#sentAt.get(name) ?? -Infinity) <= RECENT_MS;
    const until = listConversations(scope, chain).slice(-MOST_LOOKED_AT).some(isRecent)
      ? 'conversation'
      : hasInstructions(chain) && isRecent(nameInstructions(scope, chain))
        ? 'instructions'
        : undefined;
    if (until === undefined) return undefined;
    const sum = (parts: Uint32Array): number =>
      Math.ceil(parts.reduce((all, length) => all + length, 0) / CHARACTERS_PER_TOKEN);
    const instructionTokens = sum(lengths.subarray(0, chain.tools.length + chain.system.length));
    return { until, instructionTokens, promptTokens: sum(lengths) };
  }

  /** Notes a prompt that was answered. */
  record(scope: string, { chain }: HashedPrompt, sentAtMs: number): void {
    if (hasInstructions(chain)) this.#sentAt.set(nameInstructions(scope, chain), sentAtMs);
    const whole = listConversations(scope, chain).at(-1);
    if (whole !== undefined) this.#sentAt.set(whole, sentAtMs);
  }
}

function hasInstructions({ tools, system }: PromptChain): boolean {
  return tools.length + system.length > 0;
}

function nameInstructions(scope: string, { tools, system }: PromptChain): string {
  return `${scope} ${hashAll(tools, 1)} ${hashAll(system, 2)}`;
}

/** The beginnings of a prompt with one turn, two, and so on. */
function listConversations(scope: string, chain: PromptChain): string[] {
  const head = `${nameInstructions(scope, chain)} ${hashAll(chain.parameters, 3)}`;
  let hash = 4;
  return Array.from(chain.turns, (turn, at) => {
    hash = combineHashes(hash, turn);
    return `${head} ${at} ${hash}`;
  });
}

function hashAll(hashes: Uint32Array, seed: number): number {
  return hashes.reduce(combineHashes, seed);
}
