import type { LogRow } from '#logs';
import type { Usage } from '#canonical';
import type { Ports } from '../../request/ports.ts';
import type { Bill, Outcome } from '../../request/trip.ts';
import { priceParts } from '#catalogue';
import { inputTokensOf } from '#canonical';
import { findCredential } from '#logs';
import { countSaved, findMarks, nameScope } from '../../attempt/set-marks.ts';
import { nameSession } from '../../misses/session-prompts.ts';

/** Adds to the row of an answered request of a session its prompt as hashes and, if it missed the cache, why. */
export function explainCache(
  { sessionPrompts }: Pick<Ports, 'sessionPrompts'>,
  row: LogRow,
  outcome: Outcome,
): void {
  const { facts, bill } = outcome;
  const { hashed, mapping, reportedMiss, sentBefore } = facts;
  const { sessionId, firstEventMs, startedAt, usage } = row;
  if (!hashed || !mapping || sessionId === undefined || firstEventMs === undefined) return;
  if (bill.estimated || inputTokensOf(usage) === 0) return;
  row.promptChain = hashed.stored;
  const { modelId, providerId, externalId } = mapping;
  const miss = sessionPrompts.explain({
    modelId,
    providerId,
    externalId,
    mapping,
    startedAt,
    usage,
    prompt: hashed,
    session: nameSession(row.organizationId, sessionId, row.agentId),
    credential: facts.credential === 'own' ? 'own' : findCredential(outcome.attempts),
    hasSetMarks: findMarks(sentBefore, mapping) !== undefined,
    answeredAt: startedAt + firstEventMs,
    ttlMinutes: usage.inputCacheWrite1h > 0 ? 60 : hashed.chain.ttlMinutes,
    costOf: (used) => costOf(bill, used),
    ...(reportedMiss !== undefined && { reported: reportedMiss }),
  });
  if (miss) row.cacheMiss = miss;
}

/** Remembers the prompt of a project that lets the gateway set cache marks, and adds the marks' savings to the row. */
export function recordMarks(
  { sentPrefixes }: Pick<Ports, 'sentPrefixes'>,
  row: LogRow,
  { facts, bill }: Outcome,
): void {
  const { caller, hashed, mapping, sentBefore } = facts;
  if (!caller?.cacheMarks || !hashed || !mapping || row.firstEventMs === undefined) return;
  const isUnmarked = hashed.chain.marks.length === 0;
  if (isUnmarked) sentPrefixes.record(nameScope(row.projectId, row.requestedModel), hashed, row.startedAt);
  if (!bill.estimated && findMarks(sentBefore, mapping))
    row.cacheSaved = String(countSaved(bill.parts ?? []));
}

/** At the rates of the part that has most of the prompt: all of it, unless several models answered. */
function costOf({ parts = [] }: Bill, usage: Usage): bigint {
  const [part] = parts.toSorted((a, b) => inputTokensOf(b.usage) - inputTokensOf(a.usage));
  return part ? priceParts([{ ...part, usage }]) : 0n;
}
