import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Caller } from '#accounts';
import { GatewayError } from '#errors';
import { type FreshAccounts, createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';

let fresh: FreshAccounts;
let caller: Caller;
let serial = 0;

before(async () => (fresh = await openFreshAccounts()));
after(() => fresh[Symbol.asyncDispose]());
beforeEach(async () => (caller = await createCaller()));

async function createCaller(limit?: bigint): Promise<Caller> {
  const { directory } = fresh.accounts;
  const organization = await directory.createOrganization('org');
  const project = await directory.createProject({ organizationId: organization.id, name: 'p' });
  const { secret } = await directory.createKey({
    projectId: project.id,
    label: 'k',
    ...(limit !== undefined && { limit }),
  });
  return fresh.accounts.identify(secret);
}

const nextId = (): string => `req_${(serial += 1)}`;

function reserve(
  amount: bigint,
  more: { id?: string; leastAmount?: bigint; signal?: AbortSignal; of?: Caller } = {},
) {
  const { id = nextId(), leastAmount, signal, of = caller } = more;
  return fresh.accounts.ledger.reserve(
    {
      requestId: id,
      caller: of,
      amount,
      ...(leastAmount !== undefined && { leastAmount }),
      row: createRow(of, id),
    },
    signal,
  );
}

async function settle(requestId: string, customer: bigint, of = caller): Promise<void> {
  await fresh.accounts.ledger.settle({
    requestId,
    customer,
    provider: customer / 2n,
    estimated: false,
    row: createRow(of, requestId),
  });
}

async function readMeter(kind: 'key' | 'credits', of = caller) {
  const { rows } = await fresh.database.query<{ lim: string | null; used: string; held: string }>({
    text: 'SELECT lim::text, used::text, held::text FROM meter WHERE kind = $1 AND subject_id = $2',
    values: [kind, kind === 'key' ? of.keyId : of.organizationId],
  });
  return rows[0];
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof GatewayError, String(error));
  return error.code;
}

const isClean = async (): Promise<void> => assert.deepEqual(await fresh.accounts.ledger.check(), []);

test('a hold is put aside on the key and on the organization, and settling turns it into use', async () => {
  const hold = await reserve(100n);
  assert.equal(hold.amount, 100n);
  assert.deepEqual(await readMeter('key'), { lim: null, used: '0', held: '100' });
  assert.deepEqual(await readMeter('credits'), { lim: null, used: '0', held: '100' });
  await settle(hold.requestId, 60n);
  assert.deepEqual(await readMeter('key'), { lim: null, used: '60', held: '0' });
  assert.deepEqual(await readMeter('credits'), { lim: null, used: '60', held: '0' });
  await isClean();
});

test('64 racers for the last cent: as many are admitted as the limit pays for, never one more', async () => {
  const of = await createCaller(500n);
  const outcomes = await Promise.allSettled(Array.from({ length: 64 }, () => reserve(100n, { of })));
  const admitted = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  assert.equal(admitted.length, 5);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      assert.equal((outcome.reason as GatewayError).code, 'key_limit_reached');
  }
  for (const { value } of admitted) await settle(value.requestId, 100n, of);
  assert.deepEqual(await readMeter('key', of), { lim: '500', used: '500', held: '0' });
  await isClean();
});

test('two processes race for the last cent and overspend nothing', async () => {
  const other = await fresh.join({ admissionWaitMs: 1_500 });
  const of = await createCaller(1_000n);
  const run = async (ledger: typeof other.ledger): Promise<number> => {
    const requestId = nextId();
    await ledger.reserve({ requestId, caller: of, amount: 100n, row: createRow(of, requestId) });
    await ledger.settle({
      requestId,
      customer: 90n,
      provider: 0n,
      estimated: false,
      row: createRow(of, requestId),
    });
    return 1;
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, (_, index) => run(index % 2 === 0 ? other.ledger : fresh.accounts.ledger)),
  );
  // Each leaves ten behind, so that an eleventh is affordable (990 - 90 + 100 ≤ 1000) and a twelfth is not.
  assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 11);
  assert.deepEqual(await readMeter('key', of), { lim: '1000', used: '990', held: '0' });
  await isClean();
});

test('a request that only open holds keep out waits for their money instead of being denied', async () => {
  const of = await createCaller(1_000n);
  const first = await reserve(1_000n, { of });
  const second = reserve(800n, { of });
  setTimeout(() => void settle(first.requestId, 100n, of), 60);
  const hold = await second;
  assert.equal(hold.amount, 800n);
  await settle(hold.requestId, 0n, of);
});

test('money that another process gives back is noticed', async () => {
  const other = await fresh.join();
  const of = await createCaller(1_000n);
  const requestId = nextId();
  await other.ledger.reserve({ requestId, caller: of, amount: 1_000n, row: createRow(of, requestId) });
  const waiting = reserve(1_000n, { of });
  await other.ledger.settle({
    requestId,
    customer: 0n,
    provider: 0n,
    estimated: false,
    row: createRow(of, requestId),
  });
  const startedMs = performance.now();
  const hold = await waiting;
  assert.ok(performance.now() - startedMs < 200, 'noticed before its patience ends');
  await settle(hold.requestId, 0n, of);
});

test('those who wait are served in the order they came, a smaller one does not overtake', async () => {
  const of = await createCaller(1_000n);
  const first = await reserve(950n, { of });
  const served: string[] = [];
  const big = reserve(900n, { of }).then((hold) => (served.push('big'), settle(hold.requestId, 0n, of)));
  await new Promise((resolve) => setTimeout(resolve, 20));
  const small = reserve(10n, { of }).then((hold) => (served.push('small'), settle(hold.requestId, 0n, of)));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(served, []);
  await settle(first.requestId, 0n, of);
  await Promise.all([big, small]);
  assert.deepEqual(served, ['big', 'small']);
});

test('a request that fits is admitted at the end of its wait, also behind one that never will', async () => {
  const of = await createCaller(1_000n);
  const first = await reserve(500n, { of });
  const big = reserve(900n, { of });
  const small = reserve(10n, { of });
  assert.equal(await codeOf(big), 'key_limit_reached');
  assert.equal((await small).amount, 10n);
  await settle(first.requestId, 0n, of);
});

test('what could never be paid is refused at once, with the limit, what is left and what is needed', async () => {
  const of = await createCaller(5_000_000_000_000n);
  const startedMs = performance.now();
  await assert.rejects(reserve(6_000_000_000_000n, { of }), (error: unknown) => {
    assert.ok(error instanceof GatewayError);
    assert.equal(error.code, 'key_limit_reached');
    assert.equal(error.status, 402);
    assert.match(error.message, /limit of 5 USD.*used 0 USD.*5 USD is left.*up to 6 USD.*does not reset/);
    return true;
  });
  assert.ok(performance.now() - startedMs < 250, 'no waiting for nothing');
});

test('a request that can live with less gets what is left', async () => {
  const of = await createCaller(1_000n);
  await settle((await reserve(700n, { of })).requestId, 700n, of);
  const hold = await reserve(5_000n, { of, leastAmount: 200n });
  assert.equal(hold.amount, 300n);
  assert.equal(await codeOf(reserve(5_000n, { of, leastAmount: 301n })), 'key_limit_reached');
  await settle(hold.requestId, 300n, of);
  await isClean();
});

test('a request that could have all of it if it waits is not cut short, unless waiting was in vain', async () => {
  const of = await createCaller(1_000n);
  const first = await reserve(600n, { of });
  const patient = reserve(800n, { of, leastAmount: 100n });
  setTimeout(() => void settle(first.requestId, 0n, of), 40);
  const hold = await patient;
  assert.equal(hold.amount, 800n);
  assert.equal((await reserve(400n, { of, leastAmount: 100n })).amount, 200n);
});

test('all or nothing: when one purse refuses, the other holds nothing', async () => {
  const of = await createCaller(1_000n);
  await fresh.accounts.directory.addCredits({ organizationId: of.organizationId, amount: 100n });
  assert.equal(await codeOf(reserve(500n, { of })), 'credits_exhausted');
  assert.deepEqual(await readMeter('key', of), { lim: '1000', used: '0', held: '0' });
  await fresh.accounts.directory.addCredits({ organizationId: of.organizationId, amount: 10_000n });
  assert.equal(await codeOf(reserve(5_000n, { of })), 'key_limit_reached');
  assert.deepEqual(await readMeter('credits', of), { lim: '10100', used: '0', held: '0' });
});

test('what costs nothing is admitted even when the key is overdrawn', async () => {
  const of = await createCaller(100n);
  await settle((await reserve(100n, { of })).requestId, 150n, of);
  assert.equal(await codeOf(reserve(1n, { of })), 'key_limit_reached');
  const hold = await reserve(0n, { of });
  assert.equal(hold.amount, 0n);
  await settle(hold.requestId, 0n, of);
});

test('a client that leaves while it waits leaves no hold behind', async () => {
  const of = await createCaller(100n);
  const first = await reserve(100n, { of });
  const gone = new AbortController();
  const waiting = reserve(100n, { of, signal: gone.signal });
  setTimeout(() => gone.abort(), 30);
  assert.equal(await codeOf(waiting), 'client_closed');
  await settle(first.requestId, 0n, of);
  assert.deepEqual(await readMeter('key', of), { lim: '100', used: '0', held: '0' });
});

test('the same reserve sent again is one hold; a settled request gets none', async () => {
  const id = nextId();
  assert.equal((await reserve(100n, { id })).amount, 100n);
  assert.equal((await reserve(100n, { id })).amount, 100n);
  assert.deepEqual(await readMeter('key'), { lim: null, used: '0', held: '100' });
  await settle(id, 10n);
  assert.equal(await codeOf(reserve(100n, { id })), 'internal_error');
  assert.deepEqual(await readMeter('key'), { lim: null, used: '10', held: '0' });
});

test('settling twice changes nothing, at once or later', async () => {
  const { requestId } = await reserve(100n);
  await Promise.all([settle(requestId, 40n), settle(requestId, 70n)]);
  await settle(requestId, 90n);
  assert.deepEqual(await readMeter('key'), { lim: null, used: '40', held: '0' });
  await isClean();
});

test('a settlement whose hold is unknown is booked all the same', async () => {
  const requestId = nextId();
  await settle(requestId, 40n);
  assert.deepEqual(await readMeter('key'), { lim: null, used: '40', held: '0' });
  await isClean();
});

test('a cost below zero credits nobody and is marked as no exact figure', async () => {
  const { requestId } = await reserve(100n);
  await settle(requestId, -40n);
  assert.deepEqual(await readMeter('key'), { lim: null, used: '0', held: '0' });
  const { rows } = await fresh.database.query<{ estimated: boolean }>({
    text: 'SELECT estimated FROM request_log WHERE request_id = $1',
    values: [requestId],
  });
  assert.deepEqual(rows, [{ estimated: true }]);
});

test('poisoned rows are stored cleaned or in outline, and never cost their neighbours a settlement', async () => {
  const poisons: Record<string, unknown>[] = [
    { userAgent: 'a\u0000b\ud800c' },
    { finishReason: 'nonsense' },
    { status: 1e12 },
    { startedAt: 'yesterday' },
    { usage: { inputUncached: 'many' } },
    { errorMessage: 'x'.repeat(100_000) },
  ];
  const holds = await Promise.all(poisons.map(() => reserve(10n)));
  await Promise.all(
    holds.map(({ requestId }, index) =>
      fresh.accounts.ledger.settle({
        requestId,
        customer: 5n,
        provider: 1n,
        estimated: false,
        row: { ...createRow(caller, requestId), ...poisons[index] },
      }),
    ),
  );
  const { rows } = await fresh.database.query<{
    user_agent: string | null;
    error_code: string | null;
    customer_cost: string;
  }>({
    text: 'SELECT user_agent, error_code, customer_cost::text FROM request_log WHERE request_id = ANY ($1) ORDER BY length(request_id), request_id',
    values: [holds.map((hold) => hold.requestId)],
  });
  const outline = { user_agent: null, error_code: 'internal_error', customer_cost: '5' };
  assert.deepEqual(rows, [
    { user_agent: 'a\uFFFDb\uFFFDc', error_code: null, customer_cost: '5' },
    outline,
    outline,
    outline,
    outline,
    { user_agent: null, error_code: null, customer_cost: '5' },
  ]);
  assert.deepEqual(await readMeter('key'), { lim: null, used: '30', held: '0' });
  await isClean();
});

test('a request without a hold leaves one row at cost 0, whatever its row says', async () => {
  const requestId = nextId();
  await fresh.accounts.ledger.record(
    createRow(caller, requestId, { finishReason: 'client_error', customer: '77' }),
  );
  await fresh.accounts.ledger.record(createRow(caller, requestId, { finishReason: 'client_error' }));
  const { rows } = await fresh.database.query<{ finish_reason: string; customer_cost: string }>({
    text: 'SELECT finish_reason, customer_cost::text FROM request_log WHERE request_id = $1',
    values: [requestId],
  });
  assert.deepEqual(rows, [{ finish_reason: 'client_error', customer_cost: '0' }]);
  await isClean();
});

test('a request of a key that does not exist fails alone', async () => {
  const ghost = { ...caller, keyId: 'key_ghost' };
  const [good, bad] = await Promise.allSettled([reserve(10n), reserve(10n, { of: ghost })]);
  assert.equal(good.status, 'fulfilled');
  assert.equal(bad.status, 'rejected');
  await settle((good as PromiseFulfilledResult<{ requestId: string }>).value.requestId, 0n);
});

test('entries of the ledger can be neither changed nor removed', async () => {
  await settle((await reserve(10n)).requestId, 10n);
  for (const text of [
    'UPDATE ledger_entry SET customer = 0',
    'DELETE FROM ledger_entry',
    'TRUNCATE ledger_entry',
  ]) {
    await assert.rejects(fresh.database.query({ text }), text);
  }
});

test('overlapping purses in both orders never deadlock', async () => {
  const pairs = await Promise.all([createCaller(), createCaller()]);
  const crossed = [
    { ...pairs[0], organizationId: pairs[1].organizationId },
    { ...pairs[1], organizationId: pairs[0].organizationId },
  ];
  const other = await fresh.join();
  const run = async (ledger: typeof other.ledger, of: Caller): Promise<void> => {
    const requestId = nextId();
    await ledger.reserve({ requestId, caller: of, amount: 5n, row: createRow(of, requestId) });
    await ledger.settle({
      requestId,
      customer: 3n,
      provider: 0n,
      estimated: false,
      row: createRow(of, requestId),
    });
  };
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(
      [...pairs, ...crossed].flatMap((of) => [run(other.ledger, of), run(fresh.accounts.ledger, of)]),
    );
  }
  await isClean();
});
