import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settleCallbacks } from 'node:timers/promises';
import type { Settlement } from '#accounts';
import { createUsage } from '#canonical';
import { type Mapping, parsePrice } from '#catalogue';
import type { LogRow } from '#logs';
import { createTelemetry, silentLog } from '#telemetry';
import { TestClock } from '../../../test/support/test-clock.ts';
import type { Ports } from '../request/ports.ts';
import { type AttemptRecord, type Bill, NO_BILL, type TripFacts } from '../request/trip.ts';
import { CALLER as caller, createTrip } from '../../../test/support/create-trip.ts';
import { settle } from './settle/settle.ts';

const hold = { requestId: 'req_1', amount: 9n };
const mapping = { modelId: 'm', providerId: 'p', externalId: 'e', premium: false } as Mapping;
const premium = { ...mapping, premium: true };
const price = parsePrice({ input: '1', output: '1' });

interface Scene {
  facts?: Partial<TripFacts>;
  outcomes?: AttemptRecord['outcome'][];
  bill?: Partial<Bill>;
  /** Whether the ledger can be written, at each call. */
  write?: () => Promise<void>;
  clock?: TestClock;
}

/** Settles a trip; returns what the ledger was given. */
async function run({ facts = { caller, hold }, outcomes = [], bill, write, clock = new TestClock() }: Scene) {
  const trip = createTrip({ caller: undefined as never, ...facts }, { startedMs: clock.monotonicMs() - 40 });
  for (const outcome of outcomes) trip.attempts.push({ outcome } as AttemptRecord);
  const settled: Settlement[] = [];
  const recorded: LogRow[] = [];
  const ports = {
    accounts: {
      ledger: {
        settle: async (one: Settlement) => {
          settled.push(one);
          await write?.();
        },
        record: async (row: LogRow) => {
          recorded.push(row);
          await write?.();
        },
      },
    },
    clock,
    telemetry: createTelemetry(silentLog),
    live: () => ({ premium: { input: 1n, output: 1n } }),
  } as unknown as Ports;
  const ending = settle(ports, trip, { outcome: trip.close('answered', { bill: { ...NO_BILL, ...bill } }) });
  return { ending, settled, recorded };
}

async function settleOne(scene: Scene): Promise<Settlement> {
  const { ending, settled, recorded } = await run(scene);
  await ending;
  assert.deepEqual([settled.length, recorded.length], [1, 0]);
  return settled[0] ?? assert.fail();
}

test('a hold is settled by its bill; without one only the row is kept, and without a caller nothing', async () => {
  const { customer, provider, estimated, row } = await settleOne({
    bill: { customer: 3n, provider: 4n, estimated: true },
  });
  const { durationMs } = row as LogRow;
  assert.deepEqual([customer, provider, estimated, durationMs], [3n, 4n, true, 40]);
  const refused = await run({ facts: { caller } });
  await refused.ending;
  assert.deepEqual([refused.settled.length, refused.recorded.length], [0, 1]);
  const unknown = await run({ facts: {} });
  await unknown.ending;
  assert.deepEqual([unknown.settled.length, unknown.recorded.length], [0, 0]);
});

test('a provider is reached once one of the attempts got through', async () => {
  const isUnreached = async (dispatchedMs: number | undefined, ...outcomes: AttemptRecord['outcome'][]) => {
    const facts = { caller, hold, ...(dispatchedMs !== undefined && { dispatchedMs }) };
    return (await settleOne({ facts, outcomes })).unreached;
  };
  assert.equal(await isUnreached(undefined), true);
  assert.equal(await isUnreached(undefined, 'answered'), true);
  assert.equal(await isUnreached(1), false);
  assert.equal(await isUnreached(1, 'unreachable', 'unsupported'), true);
  assert.equal(await isUnreached(1, 'no-descriptor'), true);
  assert.equal(await isUnreached(1, 'unreachable', 'timed-out'), false);
});

test('a request counts as standard only if no model that is billed is premium, or with an own key', async () => {
  const isStandard = async (facts: Partial<TripFacts>, ...billed: Mapping[]) => {
    const parts = billed.map((one) => ({
      modelId: one.modelId,
      mapping: { ...one, price },
      usage: createUsage(),
      price,
      factors: [],
    }));
    return (await settleOne({ facts: { caller, hold, ...facts }, bill: { parts } })).standard;
  };
  assert.equal(await isStandard({}), false);
  assert.equal(await isStandard({ mapping }), true);
  assert.equal(await isStandard({ mapping }, mapping), true);
  assert.equal(await isStandard({ mapping }, mapping, premium), false);
  assert.equal(await isStandard({ mapping: premium }), false);
  assert.equal(await isStandard({ mapping: premium, credential: 'own' }), true);
});

test('after a minute a row without money is no longer written, a settlement is', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const [facts, isGivenUp] of [
    [{ caller }, true],
    [{ caller, hold }, false],
  ] as const) {
    const clock = new TestClock();
    const write = (): Promise<void> => Promise.reject(new Error('down'));
    const { ending, settled, recorded } = await run({ facts, write, clock });
    ending.catch(() => undefined);
    const count = async (ms: number): Promise<number> => {
      clock.advance(ms);
      for (let turn = 0; turn < 3; turn += 1) await settleCallbacks();
      t.mock.timers.tick(2_000);
      for (let turn = 0; turn < 3; turn += 1) await settleCallbacks();
      return settled.length + recorded.length;
    };
    const before = await count(60_000);
    assert.ok((await count(0)) > before, 'a minute is not over');
    const last = await count(1);
    assert.equal((await count(0)) > last, !isGivenUp);
  }
});
