import { type JsonObject, isJsonObject, parseJsonObject } from '#base';
import type { Leftover } from '#storage';
import type { LedgerStore } from './ledger-store.ts';
import { readBootId } from './boot-id.ts';
import { isStoreDown } from './store-fault.ts';
import { kindOf } from './wire.ts';

interface Replay {
  store: LedgerStore;
  onFault(error: unknown): void;
}

/** A record of the journal, parsed. */
interface Entry {
  leftover: Leftover;
  record: JsonObject;
}

const REPLAYED_AT_ONCE = 1_000;

/**
 * Writes what earlier processes left in the journal. Each record takes effect once, even if it was written before: first
 * settlements, then requests on a lease that were not settled, as estimates. What is left of their leases goes back.
 */
export async function replayJournal(leftovers: readonly Leftover[], replay: Replay): Promise<void> {
  const entries: Record<ReturnType<typeof kindOf>, Entry[]> = {
    settlement: [],
    opened: [],
    progress: [],
    owner: [],
  };
  for (const leftover of leftovers) {
    const record = parseJsonObject(leftover.text);
    if (record) entries[kindOf(leftover.text)].push({ leftover, record });
    else replay.onFault(new Error('a record of the journal cannot be read'));
  }
  const { store } = replay;
  await each(entries.settlement, replay, ({ record }) => store.settleEncoded(record));
  await replayOpened(entries, replay);
  await each(entries.progress, replay, ({ record }) => store.restoreProgress(record['progress'] ?? {}));
  await replayOwners(entries.owner, replay);
}

/** Requests without a hold of their own, at the cost that was last reported; the sweep closes those with one. */
async function replayOpened(
  { opened, settlement, progress }: Record<string, Entry[]>,
  replay: Replay,
): Promise<void> {
  const settled = new Set(settlement?.map(({ record }) => record['id']));
  const reported: JsonObject = Object.assign({}, ...(progress ?? []).map(({ record }) => record['progress']));
  const requests = (opened ?? []).map(({ leftover, record }) => ({
    leftover,
    record: toObject(record['opened']),
  }));
  const ids = requests.map(({ record }) => String(record['id']));
  const known = new Set(ids.length === 0 ? [] : await replay.store.findKnown(ids));
  await each(requests, replay, async ({ record }) => {
    const id = String(record['id']);
    if (!settled.has(id) && !known.has(id))
      await replay.store.settleEncoded({ ...record, ...toObject(reported[id]) });
  });
}

/** After a power failure the last records may be missing: what their leases held is then lost, not returned. */
async function replayOwners(owners: readonly Entry[], { store }: Replay): Promise<void> {
  const boot = readBootId();
  const epochs = owners
    .filter(({ record }) => record['boot'] === boot)
    .map(({ record }) => String(record['owner']));
  if (epochs.length > 0) await store.returnLeases(epochs);
  for (const { leftover } of owners) leftover.confirm();
}

async function each(
  entries: readonly Entry[],
  { onFault }: Replay,
  write: (entry: Entry) => Promise<void>,
): Promise<void> {
  const one = async (entry: Entry): Promise<void> => {
    try {
      await write(entry);
      entry.leftover.confirm();
    } catch (error) {
      if (isStoreDown(error)) throw error;
      onFault(error);
    }
  };
  for (let at = 0; at < entries.length; at += REPLAYED_AT_ONCE)
    await Promise.all(entries.slice(at, at + REPLAYED_AT_ONCE).map(one));
}

function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
