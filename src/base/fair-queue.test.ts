import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

const TENANTS = ['a', 'b', 'c'] as const;

interface Item {
  tenant: string;
  number: number;
}

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ type: fc.constant('add'), tenant: fc.constantFrom(...TENANTS) }) },
    fc.record({ type: fc.constant('take') }),
    fc.record({ type: fc.constant('leave'), place: fc.nat(20) }),
  ) as fc.Arbitrary<{ type: 'add' | 'take' | 'leave'; tenant?: string; place?: number }>,
  { maxLength: 80 },
);

/** Runs steps alongside a plain list of who waits. */
function run(all: readonly { type: string; tenant?: string; place?: number }[], most: number) {
  const queue = new FairQueue<Item>();
  const waiting: Item[] = [];
  const taken: { item: Item; others: string[] }[] = [];
  const drop = (item: Item): void => void waiting.splice(waiting.indexOf(item), 1);
  for (const [number, { type, tenant = '', place = 0 }] of all.entries()) {
    if (type === 'add') {
      const item = { tenant, number };
      waiting.push(item);
      const out = queue.add(tenant, item, most);
      if (out) drop(out);
      const countOf = (name: string): number => waiting.filter((one) => one.tenant === name).length;
      const longest = Math.max(...TENANTS.map(countOf));
      if (out === item) assert.ok(longest < countOf(tenant) + 2, 'a lesser claim was refused');
      else if (out) assert.ok(countOf(out.tenant) >= countOf(tenant), 'a lesser claim was displaced');
    } else if (type === 'take') {
      const [item] = queue.heads;
      if (!item) continue;
      drop(item);
      queue.take(item.tenant, item);
      taken.push({ item, others: waiting.map((one) => one.tenant) });
    } else {
      const item = waiting[place];
      if (!item) continue;
      drop(item);
      queue.remove(item.tenant, item);
    }
    assert.equal(queue.size, waiting.length, 'nothing is lost or kept');
    assert.ok(queue.size <= most);
    const firsts = TENANTS.map((name) => waiting.find((one) => one.tenant === name)).filter(Boolean);
    assert.deepEqual(new Set(queue.heads), new Set(firsts), 'each tenant’s first comes first');
  }
  return { taken };
}

test('property: nothing is lost, each tenant’s come in their order, and the bound displaces only those of tenants with more', () => {
  fc.assert(fc.property(steps, fc.nat(6), (all, most) => void run(all, most)));
});

test('property: a tenant that waits has its turn before another has two', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { taken } = run(
        all.filter(({ type }) => type !== 'leave'),
        1_000,
      );
      for (const name of TENANTS) {
        const since = new Map<string, number>();
        for (const { item, others } of taken) {
          if (item.tenant === name || !others.includes(name)) since.clear();
          else {
            const turns = (since.get(item.tenant) ?? 0) + 1;
            since.set(item.tenant, turns);
            assert.ok(turns <= 1, `${item.tenant} had ${turns} turns while ${name} waited`);
          }
        }
      }
    }),
  );
});

test('a thousand requests of one tenant do not keep another from entering a full queue', () => {
  const queue = new FairQueue<string>();
  for (let number = 0; number < 1_000; number += 1) queue.add('loud', `loud ${number}`, 100);
  assert.equal(queue.size, 100);
  assert.equal(queue.add('quiet', 'quiet', 100), 'loud 99');
  queue.take('loud', 'loud 0');
  assert.equal(queue.heads[0], 'quiet');
  assert.equal(new FairQueue<string>().add('any', 'one', 0), 'one', 'a queue without places takes nothing');
});

test('while a bound that was lowered is exceeded, newcomers are refused and none is displaced', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item, 4);
  assert.equal(queue.add('b', 'b1', 2), 'b1');
  assert.deepEqual([queue.size, queue.heads], [4, ['a1']]);
  queue.remove('a', 'a1');
  queue.remove('a', 'a2');
  assert.equal(queue.add('b', 'b1', 2), 'a4');
  assert.deepEqual([queue.size, queue.heads], [2, ['a3', 'b1']]);
  assert.equal(new FairQueue<string>().add('a', 'a1', 0), 'a1');
});

test('of tenants with equally many the first makes room, and removing what does not wait changes nothing', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'b1', 'b2']) queue.add(item.charAt(0), item, 4);
  queue.remove('a', 'a9');
  queue.remove('c', 'c1');
  assert.equal(queue.size, 4);
  assert.equal(queue.add('c', 'c1', 4), 'a2');
});

test('a tenant that left the queue comes back behind the others', () => {
  const queue = new FairQueue<string>();
  queue.add('a', 'a1', 9);
  queue.add('b', 'b1', 9);
  queue.remove('a', 'a1');
  queue.add('a', 'a2', 9);
  assert.deepEqual(queue.heads, ['b1', 'a2']);
});
