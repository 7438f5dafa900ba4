import type { SetMarks } from '#canonical';
import type { Mapping } from '#catalogue';
import type { SentPrefix } from '../misses/sent-prefixes.ts';
import type { Ports } from '../request/ports.ts';
import type { BilledPart, Trip, TripFacts } from '../request/trip.ts';
import { withoutCache } from '#canonical';
import { priceParts } from '#catalogue';
import { hasCacheMarks } from '#wire';
import { hashPrompt } from '../misses/hash-prompt.ts';

/** Where the catalogue does not have the shortest prompt that is cached. */
const USUAL_LEAST_TOKENS = 1_024;

/** The prompts that are compared: caches are of one model, and what a project sent is its own. */
export function nameScope(projectId: string, model: string): string {
  return `${projectId} ${model}`;
}

/**
 * The part of the prompt that was sent before, for projects that let the gateway set cache marks where a caller set none.
 */
export function findSentPrefix(
  { sentPrefixes }: Pick<Ports, 'sentPrefixes'>,
  { facts, arrival }: Trip,
  request: TripFacts['request'],
): Partial<TripFacts> {
  if (!facts.caller?.cacheMarks || request.choices > 1 || hasCacheMarks(request)) return {};
  const hashed = hashPrompt(request);
  const scope = nameScope(facts.caller.projectId, request.model);
  const sentBefore = sentPrefixes.find(scope, hashed, arrival.startedAt);
  return { hashed, ...(sentBefore && { sentBefore }) };
}

/** The cache marks to set at a provider: only if it bills less for cache reads, and none below its minimum. */
export function findMarks(sent: SentPrefix | undefined, mapping: Mapping): SetMarks | undefined {
  const { format, dialect, price, minCacheableTokens: least = USUAL_LEAST_TOKENS } = mapping;
  if (!sent || !price || price.parts.inputCacheRead >= price.parts.inputUncached) return undefined;
  const isMarked =
    (format === 'messages' && dialect.cacheMarks === 'cache_control') ||
    (format === 'converse' && dialect.cacheMarks === 'cachePoint');
  if (!isMarked) return undefined;
  if (sent.until === 'conversation' && sent.promptTokens >= least) return 'conversation';
  return sent.instructionTokens >= least ? 'instructions' : undefined;
}

/** The amount by which a bill would be higher without caching; negative where writes cost more than reads saved. */
export function countSaved(parts: readonly BilledPart[]): bigint {
  const uncached = parts.map((part) => ({ ...part, usage: withoutCache(part.usage) }));
  return priceParts(uncached) - priceParts(parts);
}
