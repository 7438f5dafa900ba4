import { createHash } from 'node:crypto';
import { parseMoment, runInTurns } from '#base';
import {
  type CatalogueFiles,
  type FeedChange,
  FeedRefused,
  type FeedState,
  parseFeed,
  stageInSteps,
  verifyFeed,
} from '#catalogue';
import type { Queryable } from '#storage';
import type { FeedRecord, FeedStore } from './feed-store.ts';

/** A feed and its signature, as they were published. */
export interface SignedFeed {
  document: Buffer;
  signature: string;
}

/** What became of a feed. */
export interface FeedOutcome {
  /** `current`: it was known already; `held`: it waits for the operator. */
  result: 'current' | 'stored' | 'held';
  sequence: bigint;
  changes: readonly FeedChange[];
  unknownProviders: readonly string[];
  /** Why it is held. */
  reason?: string;
}

export interface AdmissionPorts {
  store: FeedStore;
  built: CatalogueFiles;
  publicKey: string;
  noticeMs: number;
  now: number;
}

/** Checks a feed and stores it; all processes use it from then on. Throws FeedRefused. */
export async function admitFeed(
  ports: AdmissionPorts,
  { document, signature }: SignedFeed,
): Promise<FeedOutcome> {
  verifyFeed(document, signature, ports.publicKey);
  return ports.store.change((client) =>
    admit(ports, client, { text: document.toString('utf8'), isAccepted: false }),
  );
}

/** Stores the feed that waits for the operator; undefined if none does. */
export async function acceptHeldFeed(ports: AdmissionPorts): Promise<FeedOutcome | undefined> {
  return ports.store.change(async (client) => {
    const text = await ports.store.readHeld(client);
    return text === undefined ? undefined : admit(ports, client, { text, isAccepted: true });
  });
}

interface OfferedFeed {
  text: string;
  isAccepted: boolean;
}

async function admit(
  ports: AdmissionPorts,
  client: Queryable,
  { text, isAccepted }: OfferedFeed,
): Promise<FeedOutcome> {
  const { store } = ports;
  const digest = createHash('sha256').update(text).digest('hex');
  const known = await store.read(client);
  const before = await store.readState(client);
  const found = isAccepted ? undefined : findKnown(known, digest, { built: ports.built, before });
  if (found) {
    await store.recordChecked(client);
    return found;
  }
  const feed = parseFeed(text);
  const sequence = BigInt(feed.sequence);
  if (known?.digest !== digest && !isAccepted) refuseEarlier(known, sequence);
  const { state, changes } = await runInTurns(stageInSteps(feed, { ...ports, before }));
  const outcome = { sequence, changes, unknownProviders: state.unknown };
  await store.recordChecked(client);
  const reason = isAccepted ? undefined : findJump(changes);
  if (reason !== undefined) {
    await store.hold(client, { sequence: feed.sequence, digest, document: text, reason });
    return { ...outcome, result: 'held', reason };
  }
  const publishedAt = parseMoment(feed.published) ?? ports.now;
  await store.keep(client, { sequence: feed.sequence, digest, publishedAt, state });
  return { ...outcome, result: 'stored' };
}

interface FeedContext {
  built: CatalogueFiles;
  before: FeedState | undefined;
}

/** Finds a feed that was compared before. It is compared again if this version knows a provider that an earlier one omitted. */
function findKnown(
  known: FeedRecord | undefined,
  digest: string,
  { built, before }: FeedContext,
): FeedOutcome | undefined {
  const { held, sequence } = known ?? {};
  if (held?.digest === digest)
    return {
      result: 'held',
      sequence: held.sequence,
      reason: held.reason,
      changes: [],
      unknownProviders: [],
    };
  if (known?.digest !== digest || sequence === undefined || !before) return undefined;
  const { unknown } = before;
  if (built.providers.some(({ id }) => unknown.includes(id))) return undefined;
  return { result: 'current', sequence, changes: [], unknownProviders: unknown };
}

/** An old feed, however well signed, must not bring old prices back. */
function refuseEarlier(known: FeedRecord | undefined, sequence: bigint): void {
  const last = known?.sequence;
  if (last !== undefined && sequence < last)
    throw new FeedRefused('rollback', `its sequence ${sequence} is older than ${last}, which is known`);
  if (last === sequence || known?.held?.sequence === sequence)
    throw new FeedRefused(
      'rollback',
      `its sequence ${sequence} is known with other content; publish a higher one`,
    );
}

function findJump(changes: readonly FeedChange[]): string | undefined {
  for (const { modelId, providerId, amounts } of changes) {
    const jump = amounts.find(({ isJump }) => isJump);
    if (!jump) continue;
    const place = modelId === undefined ? providerId : `${providerId}/${modelId}`;
    return `${jump.name} of ${place} changes from ${jump.before ?? 'none'} to ${jump.after ?? 'none'}`;
  }
  return undefined;
}
