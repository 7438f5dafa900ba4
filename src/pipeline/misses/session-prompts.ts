import { LRUCache } from 'lru-cache';
import type { CacheMiss } from '#logs';
import { compareChains } from './compare-chains.ts';
import type { HashedPrompt } from './hash-prompt.ts';
import { type EarlierRequest, type CompletedRequest, countCached, explainMiss } from './explain-miss.ts';

/** A request whose answer is complete. */
export interface AnsweredRequest extends CompletedRequest {
  /** The session and agent, with their organization. */
  session: string;
  answeredAt: number;
  /** The lifetime of its marks; 0 if it has none. */
  ttlMinutes: number;
}

/** Conversations of one agent that are known: clients ask for titles and summaries in between. */
const MOST_LINES = 8;
/** Sessions that are looked up at a time. */
const MOST_RECALLS = 4;
/** Hashes of all sessions; 4 bytes each. */
const MOST_HASHES = 4_000_000;

/** Names an agent of a session among those of all organizations. */
export function nameSession(organizationId: string, sessionId: string, agentId = ''): string {
  return `${organizationId} ${sessionId} ${agentId}`;
}

/** The last prompts of each session and agent, as hashes, with which its next request is compared. */
export class SessionPrompts {
  readonly #sessions = new LRUCache<string, readonly EarlierRequest[]>({
    maxSize: MOST_HASHES,
    sizeCalculation: (lines) =>
      lines.reduce((sum, { chain }) => sum + 64 + chain.turns.length + chain.tools.length, 0),
  });
  #recalls = 0;

  /** Adds the last prompts of a session that this process does not know; until then its requests are not judged. */
  async recall(session: string, find: () => Promise<readonly EarlierRequest[]>): Promise<void> {
    if (this.#recalls >= MOST_RECALLS || this.#sessions.has(session)) return;
    this.#recalls += 1;
    try {
      const lines = await find();
      if (lines.length > 0 && !this.#sessions.has(session)) this.#sessions.set(session, lines);
    } catch {
      // A database that is busy has more important work.
    } finally {
      this.#recalls -= 1;
    }
  }

  /** Judges a request by the earlier one that it follows, and takes its place. */
  explain(request: AnsweredRequest): CacheMiss | undefined {
    const lines = this.#sessions.get(request.session) ?? [];
    const earlier = findPredecessor(lines, request);
    const others = lines.filter((line) => line !== earlier).slice(-(MOST_LINES - 1));
    this.#sessions.set(request.session, [...others, toEarlier(request, earlier)]);
    return earlier && explainMiss(earlier, request);
  }
}

function toEarlier(
  { prompt, usage, ...request }: AnsweredRequest,
  last: EarlierRequest | undefined,
): EarlierRequest {
  const { modelId, providerId, externalId, credential, hasSetMarks, startedAt, answeredAt, ttlMinutes } =
    request;
  return {
    modelId,
    providerId,
    externalId,
    credential,
    hasSetMarks,
    startedAt,
    answeredAt,
    ttlMinutes,
    chain: prompt.chain,
    undatedSystem: prompt.undatedSystem,
    toolNames: keepNames(prompt.toolNames, last?.toolNames),
    ...countCached(usage, request.mapping),
  };
}

/** The same list again, so that a session has the names of its tools once in memory. */
function keepNames(names: readonly string[], known: readonly string[] = []): readonly string[] {
  return names.length === known.length && names.every((name, at) => name === known[at]) ? known : names;
}

/** The request that this one continues: the longest of those it begins with, else the last one that it resembles. */
function findPredecessor(
  lines: readonly EarlierRequest[],
  request: AnsweredRequest,
): EarlierRequest | undefined {
  let best: { line: EarlierRequest; score: number } | undefined;
  for (const line of lines) {
    if (line.answeredAt > request.startedAt) continue;
    const score = scoreOf(line, request.prompt);
    if (score > 0 && (!best || score >= best.score)) best = { line, score };
  }
  return best?.line;
}

/** A request that shares only its first input, or only instructions, with another is a conversation of its own. */
function scoreOf(line: EarlierRequest, prompt: HashedPrompt): number {
  const { continues, hasSameHead, sharedTurns } = compareChains(line, prompt);
  const isLonger = prompt.chain.turnCount > line.chain.turnCount;
  if (continues) return 1_000_000 + sharedTurns;
  if (sharedTurns === 0) return isLonger && hasSameHead ? 1 : 0;
  return isLonger || hasSameHead || sharedTurns > 1 ? 1 + sharedTurns : 0;
}
