import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { JsonObject } from '#base';
import { formatUsd } from '#base';
import { ASKED, HABITS, HABIT_NAMES, type Habit, MOMENTS, hasBegun } from '../support/billing-provider.ts';
import {
  type Departure,
  type LeavingSetup,
  countLateTokens,
  createRequest,
  leaveAt,
  openLeaving,
  priceRecord,
  teachRate,
} from '../support/leaving-run.ts';
import { runLeaversPlan } from '../support/leavers-run.ts';
import { RawClient } from '../support/raw-client.ts';
import { until } from '../support/until.ts';

/** Long enough for a provider that goes on to answer, short enough to wait for one that does not. */
const AFTER_LEAVING_MS = 4_000;

const WHOLE = MOMENTS.length - 1;

let setup: LeavingSetup;
let authorization: string;

before(async () => {
  setup = await openLeaving({ afterLeavingMs: AFTER_LEAVING_MS });
  ({ authorization } = await setup.gateway.createKey());
  await teachRate(setup, authorization);
});

after(() => setup[Symbol.asyncDispose]());

/** Whether the provider reported what it bills before the request was settled. */
const isReported = (habit: Habit, moment: number): boolean =>
  habit === 'toEnd' || habit === 'json' || moment === WHOLE;

/** How far a cost may be from the provider’s record. */
function assertCost(actual: bigint, { habit, moment, record, ...times }: Cell): void {
  const expected = record ? priceRecord(record) : 0n;
  if (!record || isReported(habit, moment)) assert.equal(actual, expected);
  // The prompt is estimated before the first event, hidden reasoning by the time it took.
  else if (habit === 'stops') assertBetween(actual, expected, { least: 0.7, most: 1.3 });
  else if (habit === 'hidden') {
    const late = priceRecord({ input: 0, output: countLateTokens(record, times) });
    assertBetween(actual, expected, { least: 0.4, most: 2.5, late });
  }
  // What a provider generates after the gateway has stopped listening is not known to anybody but the provider.
  else assert.ok(actual > 0n && actual <= priceRecord({ ...record, input: 2 * record.input, output: 4_000 }));
}

function assertBetween(
  actual: bigint,
  expected: bigint,
  { least, most, late = 0n }: { least: number; most: number; late?: bigint },
): void {
  const [lowest, highest] = [least * Number(expected - late), most * Number(expected + late)];
  assert.ok(actual >= lowest && actual <= highest, `${formatUsd(actual)} of ${formatUsd(expected)}`);
}

interface Cell extends Departure {
  habit: Habit;
  moment: number;
}

function assertCell({ row, ...cell }: Cell): void {
  const { habit, moment, record } = cell;
  const [customer, provider] = [BigInt(row.customer), BigInt(row.provider)];
  assert.equal(record === undefined, moment < ASKED);
  assert.equal(row.finishReason === 'canceled', moment !== WHOLE);
  assertCost(provider, { row, ...cell });
  assert.equal(customer, hasBegun(habit, moment) ? provider : 0n);
  assert.equal(row.estimated, record !== undefined && !isReported(habit, moment));
  if (record && hasBegun(habit, moment))
    assert.ok(isReported(habit, moment) || row.usage.inputUncached === record.input);
}

suite(`leaving at ${MOMENTS.length} moments of answers at providers of ${HABIT_NAMES.length} habits`, () => {
  for (const habit of HABIT_NAMES)
    test(`${HABITS[habit]}: a client that disconnects before its first event pays nothing, and the operator the rest; one that leaves later pays what is billed`, async (t) => {
      const cells = await Promise.all(
        MOMENTS.map(async (_, moment) => ({
          habit,
          moment,
          ...(await leaveAt(setup, { habit, moment, authorization })),
        })),
      );
      for (const cell of cells) {
        const { row, record, moment } = cell;
        const billed = record ? formatUsd(priceRecord(record)) : '0';
        t.diagnostic(
          `${MOMENTS[moment]}: billed ${billed}, charged ${formatUsd(BigInt(row.customer))}, booked ${formatUsd(BigInt(row.provider))}${row.estimated ? ', estimated' : ''}`,
        );
      }
      for (const cell of cells) assertCell(cell);
    });

  test('the books agree', async () => {
    const { code, stdout } = await setup.gateway.cli('ledger', 'check');
    assert.equal(code, 0, stdout);
  });
});

const post = (client: RawClient, body: object, key = authorization): void =>
  client.post('/v1/messages', body, { authorization: key });

test('the tokens of an answer whose client disconnected before it began count against the rate limit of its key', async () => {
  const { gateway } = setup;
  const readRemaining = async (key: string, text: string): Promise<number> => {
    const response = await gateway.post('/v1/messages', createRequest(text), { authorization: key });
    await response.text();
    return Number(response.headers.get('x-ratelimit-remaining-tokens'));
  };
  const other = await gateway.createKey('--tpm', '5000');
  const key = await gateway.createKey('--tpm', '5000');
  const left = await leaveAt(setup, { habit: 'json', moment: ASKED, authorization: key.authorization });
  const { inputUncached, outputText } = left.row.usage;
  assert.ok(outputText > 0);
  const remaining = await readRemaining(key.authorization, 'stops and stays');
  assert.equal(
    (await readRemaining(other.authorization, 'stops and stays')) - remaining,
    inputUncached + outputText,
  );
});

test('an answer that costs nothing is not read on: its provider stops with its client', async () => {
  const { gateway, provider } = setup;
  const halt = provider.haltAt('toEnd for free', ASKED + 1);
  using client = await RawClient.open(gateway.url);
  post(client, { ...createRequest('toEnd for free'), model: 'free-model' });
  await halt.reached;
  client.reset();
  const truth = provider.upstream.find('toEnd for free').at(-1);
  await until('the provider’s connection is closed', () => truth?.aborted === true);
});

test('requests that wait for the answer of an identical one go on at once when its client disconnects', async (t) => {
  const { gateway, provider } = setup;
  const text = 'silent and cached';
  const { project_id: projectId } = gateway.line;
  await gateway.run('cache', 'set', '--project', projectId, '--ttl', '3600');
  t.after(() => gateway.run('cache', 'set', '--project', projectId, '--ttl', 'off'));
  await until('the project caches', async () => {
    const response = await gateway.post('/v1/messages', createRequest('stops to be cached'), {
      authorization,
    });
    await response.text();
    return response.headers.get('x-gateway-cache') === 'HIT';
  });
  const halt = provider.haltAt(text, ASKED);
  using leader = await RawClient.open(gateway.url);
  using follower = await RawClient.open(gateway.url);
  post(leader, createRequest(text));
  await halt.reached;
  post(follower, createRequest(text));
  leader.reset();
  await until('the follower has called the provider', () => provider.upstream.find(text).length === 2);
  assert.equal(provider.upstream.find(text)[0]?.aborted, false, 'the answer of the first one is still read');
});

/** The row of an answer that is silent when its gateway is stopped, after its client has received a part. */
async function stopDuring(leave: (client: RawClient) => void): Promise<JsonObject> {
  await using own = await openLeaving({ afterLeavingMs: 60_000 }, 'drainSeconds: 1\n');
  const { gateway, provider } = own;
  const halt = provider.haltAt('silent drains', 8);
  using client = await RawClient.open(gateway.url);
  post(client, createRequest('silent drains'), `Bearer ${gateway.apiKey}`);
  await halt.reached;
  await client.waitFor((received) => received.includes('text_delta'));
  leave(client);
  await own.books[Symbol.asyncDispose]();
  assert.equal(await gateway.stop(), 0);
  const { json } = await gateway.cli('logs');
  const [row = assert.fail('no row')] = json?.['data'] as unknown as JsonObject[];
  assert.equal(row['finish_reason'], 'canceled');
  return row;
}

test('a gateway that stops waits for answers without clients no longer than for others, and estimates the rest', async () => {
  const row = await stopDuring((client) => client.reset());
  assert.equal(row['estimated'], true);
  assert.ok(Number(row['cost']) > 0);
});

test('the row of an answer that outlasts the drain says that the gateway stopped, and not that its client disconnected', async () => {
  const row = await stopDuring(() => undefined);
  assert.match(row['error_message'] as string, /^the gateway stopped before the answer was complete/);
});

const LEAVERS = 100;

test(`${LEAVERS} clients disconnect at random moments: customers and operator together pay what the provider has on its record`, async (t) => {
  const seed = Number(process.env['LEAVERS_SEED'] ?? 20261123);
  const { asked, canceled, figures } = await runLeaversPlan({
    seed,
    count: LEAVERS,
    report: () => undefined,
  });
  t.diagnostic(`${asked} asked, ${canceled} left, seed ${seed}: ${figures}`);
  assert.ok(canceled > LEAVERS / 4, 'the moments were well spread');
});
