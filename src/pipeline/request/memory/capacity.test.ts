import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Limiter, type LimiterSlot, type RateLimit, createLimiter } from '#accounts';
import { silentLog } from '#telemetry';
import { Capacity } from './capacity.ts';

const LONG_MS = 600_000;
type Listen = (run: () => void) => void;
const REPLY: { onGone: Listen; offGone: Listen } = { onGone: () => undefined, offGone: () => undefined };

const limitOf = (name: string, most: number, kind: RateLimit['kind'] = 'concurrency'): RateLimit => ({
  owner: 'credential',
  kind,
  counter: `${kind}:${name}`,
  most,
});

function open({ queue = { length: 100, waitMs: LONG_MS } } = {}) {
  const clock = { ms: 0, now: () => 0, monotonicMs: () => clock.ms };
  const limiter: Limiter = createLimiter({ clock, log: silentLog, keyValue: {} });
  const capacity = new Capacity(limiter);
  const credentialOf = (...limits: RateLimit[]) => ({
    allowance: { limits, queue },
    name: limits[0]?.counter ?? '',
  });
  const enter = (
    [first, ...others]: ReturnType<typeof credentialOf>[],
    {
      tenant = 'org',
      tokens = 1,
      mayWait = true,
      reply = REPLY,
      isOpen = (_name: string): boolean => true,
    } = {},
  ) => {
    assert.ok(first);
    return capacity.enter({
      providerId: 'acme',
      credentials: [first, ...others],
      isOpen: ({ name }) => isOpen(name),
      tenant,
      tokens,
      mayWait,
      reply,
    });
  };
  const usedOf = async (limit: RateLimit): Promise<number> => (await limiter.look([limit]))[0]?.used ?? 0;
  return { clock, limiter, enter, credentialOf, usedOf };
}

type Entered = Awaited<ReturnType<ReturnType<typeof open>['enter']>>;

function slotOf(entered: Entered): LimiterSlot {
  assert.ok('slot' in entered, 'it should have entered');
  return entered.slot;
}

test('the first credential below its limits is taken, and that of the provider counts for all', async () => {
  const { enter, credentialOf } = open();
  const provider = limitOf('acme', 3);
  const credentials = [credentialOf(provider, limitOf('one', 1)), credentialOf(provider, limitOf('two', 9))];
  const names: string[] = [];
  for (let request = 0; request < 3; request += 1) {
    const entered = await enter(credentials);
    if ('credential' in entered) names.push(entered.credential.name);
  }
  assert.deepEqual(names.length, 3);
  assert.deepEqual(await enter(credentials, { mayWait: false }), { waitMs: 0 });
});

test('waiting requests enter as slots become free, in turn by organization', async () => {
  const { enter, credentialOf, usedOf } = open();
  const limit = limitOf('one', 1);
  const credentials = [credentialOf(limit)];
  let slot = slotOf(await enter(credentials));
  const order: string[] = [];
  const waiting = ['a1', 'a2', 'a3', 'b1'].map(async (name) => {
    const entered = await enter(credentials, { tenant: name.slice(0, 1) });
    order.push(name);
    slot = slotOf(entered);
  });
  for (let served = 0; served < 4; served += 1) {
    assert.equal(order.length, served);
    slot.end(0);
    while (order.length === served) await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(waiting);
  assert.deepEqual(order, ['a1', 'b1', 'a2', 'a3']);
  slot.end(0);
  assert.equal(await usedOf(limit), 0);
});

test('later requests do not overtake waiting ones, also where nothing signals that a slot is free', async () => {
  const { enter, credentialOf, limiter } = open();
  const limit = limitOf('one', 1);
  const credentials = [credentialOf(limit)];
  const { slot: elsewhere } = await limiter.take([limit], 0);
  const waiting = enter(credentials, { tenant: 'a' });
  await new Promise((resolve) => setImmediate(resolve));
  elsewhere?.end(0);
  assert.ok('waitMs' in (await enter(credentials, { tenant: 'b', mayWait: false })));
  slotOf(await waiting).end(0);
});

test('a wait that is too long for the queue is refused at once; a window that moves on admits', async () => {
  const { enter, credentialOf, clock } = open({ queue: { length: 9, waitMs: 5_000 } });
  const credentials = [credentialOf(limitOf('one', 10, 'tokens'))];
  slotOf(await enter(credentials, { tokens: 10 })).end(10);
  assert.deepEqual(await enter(credentials, { tokens: 5 }), { waitMs: 61_000 });
  assert.deepEqual(await enter(credentials, { tokens: 11 }), { waitMs: Infinity });
  clock.ms = 57_000;
  const waiting = enter(credentials, { tokens: 5 });
  await new Promise((resolve) => setImmediate(resolve));
  clock.ms = 61_500;
  slotOf(await waiting).end(5);
});

test('a full queue, a wait that is over and a caller that disconnects admit nothing later', async () => {
  const { enter, credentialOf, usedOf } = open({ queue: { length: 1, waitMs: 50 } });
  const limit = limitOf('one', 1);
  const credentials = [credentialOf(limit)];
  const slot = slotOf(await enter(credentials));
  const late = enter(credentials, { tenant: 'a' });
  assert.ok('waitMs' in (await enter(credentials, { tenant: 'b' })), 'the queue is full');
  assert.ok('waitMs' in (await late), 'its time is over');
  let leave: () => void = () => assert.fail('nobody waits');
  const reply = { onGone: (run: () => void) => void (leave = run), offGone: () => undefined };
  const gone = enter(credentials, { tenant: 'a', reply });
  await new Promise((resolve) => setImmediate(resolve));
  leave();
  assert.ok('waitMs' in (await gone));
  slot.end(0);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(await usedOf(limit), 0);
});

test('property: no limit is ever exceeded, and when all calls have ended nothing is in use', async () => {
  const requests = fc.array(
    fc.record({
      tenant: fc.constantFrom('a', 'b', 'c'),
      endsAt: fc.nat(20),
      leavesAt: fc.option(fc.nat(20)),
    }),
    { minLength: 1, maxLength: 30 },
  );
  const rules = fc.record({ provider: fc.integer({ min: 1, max: 4 }), one: fc.integer({ min: 1, max: 3 }) });
  await fc.assert(
    fc.asyncProperty(requests, rules, fc.nat(5), async (all, { provider, one }, length) => {
      const { enter, credentialOf, usedOf } = open({ queue: { length, waitMs: LONG_MS } });
      const [shared, first, second] = [limitOf('acme', provider), limitOf('one', one), limitOf('two', one)];
      const credentials = [credentialOf(shared, first), credentialOf(shared, second)];
      const leaves: (() => void)[] = [];
      const slots: (LimiterSlot | undefined)[] = [];
      const entering = all.map(async ({ tenant }, index) => {
        const reply = { ...REPLY, onGone: (run: () => void) => void (leaves[index] = run) };
        const entered = await enter(credentials, { tenant, reply });
        if ('slot' in entered) slots[index] = entered.slot;
      });
      for (let step = 0; step <= 20; step += 1) {
        for (const [index, { endsAt, leavesAt }] of all.entries()) {
          if (leavesAt === step) leaves[index]?.();
          if (endsAt === step) slots[index]?.end(0);
        }
        await new Promise((resolve) => setImmediate(resolve));
        assert.ok((await usedOf(shared)) <= provider);
        for (const limit of [first, second]) assert.ok((await usedOf(limit)) <= one);
      }
      const end = Promise.all(entering);
      let isOver = false;
      void end.then(() => (isOver = true));
      while (!isOver) {
        for (const slot of slots) slot?.end(0);
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (const slot of slots) slot?.end(0);
      await new Promise((resolve) => setImmediate(resolve));
      for (const limit of [shared, first, second]) assert.equal(await usedOf(limit), 0);
    }),
    { numRuns: 60 },
  );
});

test('a credential that may not be called when a place becomes free is passed over, unless none may', async () => {
  const { enter, credentialOf } = open();
  const credentials = [credentialOf(limitOf('one', 1)), credentialOf(limitOf('two', 1))];
  const [first, second] = [slotOf(await enter(credentials)), slotOf(await enter(credentials))];
  const closed = new Set<string>();
  const waiting = enter(credentials, { isOpen: (name) => !closed.has(name) });
  closed.add('concurrency:one');
  first.end(0);
  await new Promise((resolve) => setImmediate(resolve));
  second.end(0);
  const entered = await waiting;
  assert.equal('credential' in entered && entered.credential.name, 'concurrency:two');
  const other = await enter(credentials, { isOpen: () => false });
  assert.equal('credential' in other && other.credential.name, 'concurrency:one');
});

test('a caller that disconnects before its request is queued takes no place', async () => {
  const { enter, credentialOf, usedOf } = open();
  const limit = limitOf('one', 1);
  const slot = slotOf(await enter([credentialOf(limit)]));
  const left = await enter([credentialOf(limit)], { reply: { ...REPLY, onGone: (run) => run() } });
  assert.ok('waitMs' in left);
  const next = enter([credentialOf(limit)]);
  slot.end(0);
  slotOf(await next);
  assert.equal(await usedOf(limit), 1);
});
