import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller, HoldRequest } from '#accounts';
import type { CanonicalRequest } from '#canonical';
import { type Mapping, parsePrice } from '#catalogue';
import { GatewayError } from '#errors';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import { TestClock } from '../../../test/support/test-clock.ts';
import type { CostedMapping } from '../price/priceable-route.ts';
import type { Ports } from '../request/ports.ts';
import { CALLER, createTrip } from '../../../test/support/create-trip.ts';
import { admit } from './admit.ts';

/** A mapping where a prompt costs 10 and a token of the answer so much. */
function createCosted(each: bigint, maxOutput = 100_000, facts: Partial<Mapping> = {}): CostedMapping {
  const price = parsePrice({ input: '1', output: '1' });
  const mapping = { modelId: 'm', providerId: 'p', externalId: 'e', price, ...facts } as Mapping;
  return { mapping, cost: { maxOutput, price: (output) => 10n + each * BigInt(output) } };
}

interface Scene {
  request?: Partial<CanonicalRequest>;
  caller?: Partial<Caller>;
  route?: readonly CostedMapping[];
  credential?: 'own' | 'gateway';
  /** What the ledger grants of what is asked for. */
  granted?: bigint;
  grow?: GatewayError;
  isOver?: boolean;
}

/** Admits a request; returns what was held and how its answer was bounded. */
async function run({
  request,
  caller,
  route = [createCosted(1n)],
  credential = 'gateway',
  granted,
  grow,
  isOver,
}: Scene) {
  const headers: [string, string][] = [];
  const reply = {
    isOver: isOver ?? false,
    onGone: () => undefined,
    addHeader: (...header: [string, string]) => headers.push(header),
  };
  const facts = { caller: { ...CALLER, ...caller }, request: createForeignRequest(request), credential };
  const trip = createTrip(facts, { reply });
  const asked: HoldRequest[] = [];
  const grown: bigint[] = [];
  const ledger = {
    reserve: async (hold: HoldRequest) => {
      asked.push(hold);
      return { requestId: 'req_1', amount: granted ?? hold.amount };
    },
    grow: async ({ amount, leastAmount }: Record<'amount' | 'leastAmount', bigint>) => {
      assert.equal(amount, leastAmount);
      grown.push(amount);
      if (grow) throw grow;
      return (granted ?? 0n) + amount;
    },
  };
  const ports = {
    accounts: { ledger },
    clock: new TestClock(),
    live: () => ({ premium: { input: 10n ** 9n, output: 10n ** 9n } }),
  } as unknown as Ports;
  await admit(ports, trip, route);
  const [hold] = asked;
  assert.ok(hold && asked.length === 1);
  return {
    amounts: [hold.amount, hold.leastAmount, hold.grows],
    share: hold.share,
    premium: hold.premium,
    grown,
    held: trip.get('hold').amount,
    output: trip.get('request').maxOutputTokens,
    bound: trip.facts.outputBound,
    priced: trip.facts.answerPrices?.size,
    headers,
  };
}

const amountsOf = async (scene: Scene) => (await run(scene)).amounts;
const stream = { stream: true };

test('a whole answer is held in full, a stream by its first slice; both accept what a short answer costs', async () => {
  assert.deepEqual(await amountsOf({}), [100_010n, 266n, false]);
  assert.deepEqual(await amountsOf({ request: stream }), [1_034n, 266n, true]);
  assert.deepEqual(await amountsOf({ request: { stream: true, choices: 2 } }), [100_010n, 266n, false]);
  assert.deepEqual(await amountsOf({ request: stream, route: [createCosted(1n, 500)] }), [510n, 266n, true]);
  const short = await amountsOf({ route: [createCosted(1n, 256)] });
  assert.deepEqual(short, [266n, undefined, undefined], 'less than the least is not accepted');
});

test('a stream that the first provider bills to its end is held as a whole; where that does not fit, it leaves a part to others', async () => {
  const billed: Partial<Mapping> = { cancellation: 'none' };
  const stopped = createCosted(2n, 100_000, { cancellation: 'streams' });
  const whole = await run({ request: stream, route: [createCosted(1n, 100_000, billed)] });
  assert.deepEqual([...whole.amounts, whole.share], [100_010n, 266n, true, 4_106n]);
  const short = await run({ request: stream, route: [createCosted(1n, 2_000, billed)] });
  assert.deepEqual([...short.amounts, short.share], [2_010n, 266n, true, undefined]);
  const first = await run({ request: stream, route: [createCosted(1n, 100_000, billed), stopped] });
  assert.deepEqual([...first.amounts, first.share], [100_010n, 522n, true, 4_106n]);
  const later = await run({ request: stream, route: [stopped, createCosted(1n, 100_000, billed)] });
  assert.deepEqual([...later.amounts, later.share], [2_058n, 522n, true, undefined]);
  const reasoning = { mode: 'on', budgetTokens: 5_000 } as unknown as NonNullable<
    CanonicalRequest['reasoning']
  >;
  const thinking = { request: { ...stream, reasoning }, route: [createCosted(1n, 100_000, billed)] };
  const { amounts, share } = await run(thinking);
  assert.deepEqual([...amounts, share], [100_010n, 5_266n, true, 5_266n]);
});

test('a project’s least output and a thinking budget raise what is accepted', async () => {
  const caller = { minOutputTokens: 2_000 };
  assert.deepEqual(await amountsOf({ caller }), [100_010n, 2_010n, false]);
  assert.deepEqual(await amountsOf({ caller, request: stream }), [2_010n, undefined, undefined]);
  const reasoning = { mode: 'on', budgetTokens: 1_000 } as unknown as NonNullable<
    CanonicalRequest['reasoning']
  >;
  assert.deepEqual(await amountsOf({ request: { reasoning } }), [100_010n, 1_266n, false]);
  assert.deepEqual(await amountsOf({ request: { reasoning, ...stream } }), [1_034n, 266n, true]);
});

test('the most expensive mapping of a route is held for, and any premium one counts', async () => {
  const route = [createCosted(1n), createCosted(3n), createCosted(2n)];
  const { amounts, premium, priced } = await run({ route });
  assert.deepEqual([amounts[0], premium, priced], [300_010n, undefined, 3]);
  assert.equal((await run({ route: [...route, createCosted(1n, 9, { premium: true })] })).premium, true);
});

test('with the organization’s own key nothing is held', async () => {
  const route = [createCosted(1n, 9, { premium: true })];
  const { amounts, premium, priced } = await run({ route, credential: 'own' });
  assert.deepEqual([...amounts, premium, priced], [0n, undefined, undefined, undefined, undefined]);
});

test('a caller that has left is not admitted', async () => {
  await assert.rejects(run({ isOver: true }), { code: 'client_closed' });
});

test('what a whole answer lacks is held, too, or its output is limited to what is held', async () => {
  const enough = await run({ granted: 100_010n });
  assert.deepEqual([enough.grown, enough.held, enough.output], [[], 100_010n, undefined]);
  const grown = await run({ granted: 5_010n });
  assert.deepEqual([grown.grown, grown.held, grown.headers], [[95_000n], 100_010n, []]);

  const grow = new GatewayError('key_limit_reached', 'no more');
  const short = await run({ granted: 5_010n, grow, route: [createCosted(1n), createCosted(2n)] });
  assert.deepEqual([short.held, short.output, short.bound], [5_010n, 2_500, grow]);
  assert.deepEqual(short.headers, [['x-gateway-output-limit', '2500']]);
  const asked = await run({ granted: 5_010n, grow, request: { maxOutputTokens: 3_000 } });
  assert.equal(asked.output, 3_000, 'never above what is asked for');
  const least = await run({ granted: 20n, grow });
  assert.equal(least.output, 256, 'nor below the least that is accepted');
});

test('a stream with a small hold is not limited: it grows', async () => {
  const { grown, output } = await run({ request: stream, granted: 300n });
  assert.deepEqual([grown, output], [[], undefined]);
});

test('a database that fails is no small budget', async () => {
  const grow = new GatewayError('store_unavailable', 'down');
  await assert.rejects(run({ granted: 5_010n, grow }), grow);
});
