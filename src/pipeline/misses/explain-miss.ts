import type { Usage } from '#canonical';
import type { Mapping } from '#catalogue';
import type { CacheMiss, MissReason } from '#logs';
import { inputTokensOf } from '#canonical';
import type { HashedPrompt } from './hash-prompt.ts';
import { type EarlierPrompt, compareChains, findSharedParts, listChanges } from './compare-chains.ts';

/** Who answered a request, and when. Times are milliseconds since the Unix epoch. */
interface AnsweringMapping {
  modelId: string;
  providerId: string;
  externalId: string;
  /** The name of the credential, or `own`; '' if the provider has only one. */
  credential: string;
  /** Whether the gateway set the cache marks, because the client set none. */
  hasSetMarks: boolean;
  startedAt: number;
}

/** An earlier request of the same session, as far as the next one is compared with it. */
export interface EarlierRequest extends AnsweringMapping, EarlierPrompt {
  /** When its answer began: from then on its prompt can be read from the cache. */
  answeredAt: number;
  /** The tokens of its prompt that can be read from the cache. */
  cachedTokens: number;
  /** Whether some of it was read from the cache. */
  hasRead: boolean;
  inputTokens: number;
  /** 0 if it is not known. */
  ttlMinutes: number;
}

/** A request that was answered, with its usage. */
export interface CompletedRequest extends AnsweringMapping {
  prompt: HashedPrompt;
  usage: Usage;
  mapping: Pick<Mapping, 'dialect' | 'price' | 'minCacheableTokens'>;
  /** The exact cost of a usage at the rates of this request. */
  costOf(usage: Usage): bigint;
  /** The reason that the provider reported. */
  reported?: string;
}

const USUAL_TTL_MINUTES = 5;
const MINUTE_MS = 60_000;
/** Providers that cache by themselves do so from here, in steps and as well as they can. */
const LEAST_AUTOMATIC = 1_024;
/** A few tokens around a mark differ from request to request. */
const EXACT = { tokens: 128, share: 0.02 };
/** The tokens of a part are estimated by its length. */
const ESTIMATED = { tokens: 256, share: 0.05 };
/** Where providers promise nothing, or nothing behind a change can have been lost. */
const ROUGH = { tokens: 1_024, share: 0.2 };

/** Why a request read less from the cache than an earlier one had put there; undefined if it did not. */
export function explainMiss(earlier: EarlierRequest, request: CompletedRequest): CacheMiss | undefined {
  const { usage, prompt } = request;
  const caching = findCaching(request.mapping);
  if (!caching) return undefined;
  const changes = listAllChanges(earlier, request);
  const { continues } = compareChains(earlier, prompt);
  const gap = continues ? findGap(earlier, request, caching) : undefined;
  const { readable, tolerance } = gap
    ? { readable: gap.tokens, tolerance: EXACT }
    : countReadable(earlier, request, { continues, caching, hasChanged: changes.length > 0 });
  const lost = Math.min(readable, inputTokensOf(usage)) - usage.inputCacheRead;
  if (lost <= Math.max(tolerance.tokens, readable * tolerance.share)) return undefined;
  // Nothing the client could do: the provider leaves out reasoning that the next input makes useless.
  if (changes.length === 0 && !gap && prompt.dropsReasoning && usage.inputCacheRead > 0) return undefined;
  // Nothing is known about automatic caches before they were read.
  if (changes.length === 0 && caching === 'automatic' && !earlier.hasRead) return undefined;
  const reasons = gap ? [gap.reason] : changes.length > 0 ? changes : [{ code: 'evicted' } as const];
  return {
    reasons,
    tokens: lost,
    cost: String(costOfLoss(request, lost)),
    ...(request.reported !== undefined && { reported: request.reported }),
  };
}

type Caching = 'marks' | 'automatic';

/** How a provider caches; undefined if its cache reads cost as much as input. */
function findCaching({ dialect, price }: CompletedRequest['mapping']): Caching | undefined {
  if (!price || price.parts.inputCacheRead >= price.parts.inputUncached) return undefined;
  return dialect.cacheMarks === 'cache_control' || dialect.cacheMarks === 'cachePoint'
    ? 'marks'
    : 'automatic';
}

/** The tokens of a prompt that are cached after it: those read or written, or all if the provider caches automatically. */
export function countCached(
  usage: Usage,
  mapping: CompletedRequest['mapping'] | undefined,
): Pick<EarlierRequest, 'cachedTokens' | 'hasRead' | 'inputTokens'> {
  const { inputCacheRead, inputCacheWrite5m, inputCacheWrite1h } = usage;
  const inputTokens = inputTokensOf(usage);
  const isAutomatic = mapping && findCaching(mapping) === 'automatic' && inputTokens >= LEAST_AUTOMATIC;
  const cachedTokens = isAutomatic ? inputTokens : inputCacheRead + inputCacheWrite5m + inputCacheWrite1h;
  return { cachedTokens, hasRead: inputCacheRead > 0, inputTokens };
}

interface Comparison {
  continues: boolean;
  hasChanged: boolean;
  caching: Caching;
}

/** The tokens of this prompt that were in the cache: all of the earlier prompt, or the parts in both if it was changed. */
function countReadable(
  earlier: EarlierRequest,
  { usage, prompt }: CompletedRequest,
  { continues, hasChanged, caching }: Comparison,
): { readable: number; tolerance: typeof EXACT } {
  const isPromised = caching === 'marks';
  if (continues) {
    const tolerance = hasChanged ? ESTIMATED : EXACT;
    return { readable: earlier.cachedTokens, tolerance: isPromised ? tolerance : ROUGH };
  }
  const { before, behind } = findSharedParts(earlier, prompt);
  const input = inputTokensOf(usage);
  const isBehind = behind * input > ESTIMATED.tokens;
  return {
    readable: Math.min(earlier.cachedTokens, Math.floor(input * (before + behind))),
    tolerance: isPromised && isBehind ? ESTIMATED : ROUGH,
  };
}

/** Why the earlier request, which this one continues, has put nothing into the cache. */
function findGap(
  earlier: EarlierRequest,
  { prompt, usage, mapping, hasSetMarks }: CompletedRequest,
  caching: Caching,
): { tokens: number; reason: MissReason } | undefined {
  if (caching !== 'marks' || earlier.cachedTokens > 0 || usage.inputCacheRead > 0) return undefined;
  const { minCacheableTokens: least = 0 } = mapping;
  const isMarked = prompt.chain.marks.length > 0 || hasSetMarks;
  const isShort = earlier.inputTokens < least && inputTokensOf(usage) < least;
  const tokens = earlier.inputTokens;
  if (isShort && isMarked) return { tokens, reason: { code: 'below_minimum', leastTokens: least } };
  const isUnmarked = prompt.chain.marks.length === 0 && earlier.chain.marks.length === 0;
  if (!isUnmarked || tokens < least) return undefined;
  return { tokens, reason: { code: earlier.hasSetMarks ? 'evicted' : 'no_marker' } };
}

function listAllChanges(earlier: EarlierRequest, request: CompletedRequest): MissReason[] {
  const reasons: MissReason[] = [];
  const isElsewhere = earlier.providerId !== request.providerId;
  const isOther =
    earlier.modelId !== request.modelId || (!isElsewhere && earlier.externalId !== request.externalId);
  if (isOther) reasons.push({ code: 'other_model' });
  if (isElsewhere) reasons.push({ code: 'other_provider' });
  else if (earlier.credential !== request.credential) reasons.push({ code: 'other_credential' });
  const idleMs = request.startedAt - earlier.startedAt;
  const ttlMinutes = earlier.ttlMinutes || USUAL_TTL_MINUTES;
  if (idleMs > ttlMinutes * MINUTE_MS)
    reasons.push({ code: 'idle', idleMinutes: Math.floor(idleMs / MINUTE_MS), ttlMinutes });
  return [...reasons, ...listChanges(earlier, request.prompt)];
}

/** The cost of tokens beyond that of cache reads: first those that were written again, then uncached ones. */
function costOfLoss({ usage, costOf }: CompletedRequest, tokens: number): bigint {
  const read = { ...usage };
  let left = tokens;
  for (const part of ['inputCacheWrite1h', 'inputCacheWrite5m', 'inputUncached'] as const) {
    const moved = Math.min(left, read[part]);
    read[part] -= moved;
    read.inputCacheRead += moved;
    left -= moved;
  }
  const cost = costOf(usage) - costOf(read);
  return cost > 0n ? cost : 0n;
}
