import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#base';
import { TestClock } from '../../../test/support/test-clock.ts';
import { createStoreTooSlow } from '../ledger/store/store-fault.ts';
import { KeySnapshot } from './key-snapshot.ts';

interface Facts {
  id: string;
  version: number;
}

/** A snapshot whose rows have the number of their last change, and how often entries were compared with changes. */
function openSnapshot() {
  const versions = new Map<string, number>();
  const counts = { compared: 0 };
  const source = {
    read: (ids: readonly string[]) =>
      Promise.resolve(ids.map((id): Facts => ({ id, version: versions.get(id) ?? 0 }))),
    idIn: ({ id }: Facts, table: string) => {
      counts.compared += 1;
      return table === 'api_key' ? id : undefined;
    },
  };
  const snapshot = new KeySnapshot<Facts>(source, { clock: systemClock, storeLimitMs: 10_000 });
  const change = (id: string): void => {
    versions.set(id, (versions.get(id) ?? 0) + 1);
    snapshot.invalidate(`api_key:${id}`);
  };
  return { snapshot, change, counts };
}

const ENTRIES = 500;
const CHANGES = 5_000;

test('each entry that has changed is read again, however many changes arrive at once', async () => {
  const { snapshot, change } = openSnapshot();
  const versionOf = async (id: string) => (await snapshot.find(id))?.version;
  assert.equal(await versionOf('a'), 0);
  change('a');
  change('b');
  assert.equal(await versionOf('a'), 1);
  assert.ok(!(snapshot.find('a') instanceof Promise), 'an earlier change does not concern it');
  assert.equal(await versionOf('kept'), 0);
  change('a');
  for (let made = 0; made < CHANGES; made += 1) change(`other ${made}`);
  assert.deepEqual([await versionOf('a'), await versionOf('b')], [2, 1]);
  assert.ok(!(snapshot.find('kept') instanceof Promise), 'what has not changed is still known');
});

test('a change costs no walk through all entries', async () => {
  const { snapshot, change, counts } = openSnapshot();
  for (let read = 0; read < ENTRIES; read += 1) await snapshot.find(`key ${read}`);
  for (let made = 0; made < CHANGES; made += 1) change(`other ${made}`);
  assert.ok(counts.compared <= 4 * ENTRIES, `${counts.compared} comparisons`);
});

test('a read whose connection breaks is repeated once', async () => {
  let reads = 0;
  const source = {
    read: (ids: readonly string[]) => {
      reads += 1;
      if (reads !== 2) return Promise.reject(createStoreTooSlow());
      return Promise.resolve(ids.map((id): Facts => ({ id, version: 1 })));
    },
    idIn: () => undefined,
  };
  const snapshot = new KeySnapshot<Facts>(source, { clock: new TestClock(), storeLimitMs: 10_000 });
  assert.equal((await snapshot.find('a'))?.version, 1);
  await assert.rejects(async () => snapshot.find('b'), { code: 'store_unavailable' });
  assert.equal(reads, 4);
});
