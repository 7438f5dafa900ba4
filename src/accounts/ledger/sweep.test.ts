import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Accounts, Ledger } from '#accounts';
import { createUsage } from '#canonical';
import { createRow, openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { until } from '../../../test/support/until.ts';

const fresh = shareOpened(() => openFreshAccounts());
let serial = 0;

/** A hold of a crashed process: it sends no heartbeat again. */
async function leaveOrphan(ledger: Ledger = fresh.accounts.ledger): Promise<string> {
  const requestId = `req_${(serial += 1)}`;
  await ledger.reserve({
    requestId,
    caller: fresh.caller,
    amount: 100n,
    row: createRow(fresh.caller, requestId, { finishReason: 'gateway_error', status: 500 }),
  });
  return requestId;
}

/** Takes the process of a hold for dead. Where it has sent a heartbeat meanwhile, which a living one does, again. */
async function sweepAsDead(requestId: string, silence = '31 seconds'): Promise<Accounts> {
  const sweeper = await fresh.join();
  await until('its process is taken for dead', async () => {
    await setHeartbeat(requestId, silence);
    await sweeper.ledger.sweep();
    return (await readEnd(requestId)).rows.length > 0;
  });
  return sweeper;
}

async function setHeartbeat(requestId: string, ago: string): Promise<void> {
  await fresh.database.query({
    text: `UPDATE owner SET heartbeat_at = now() - $2::interval
           WHERE epoch = (SELECT owner_epoch FROM hold WHERE request_id = $1)`,
    values: [requestId, ago],
  });
}

async function readEnd(requestId: string) {
  const { rows: entries } = await fresh.database.query({
    text: 'SELECT kind, customer::text, provider::text FROM ledger_entry WHERE request_id = $1 ORDER BY kind DESC',
    values: [requestId],
  });
  const { rows } = await fresh.database.query({
    text: 'SELECT finish_reason, estimated, customer_cost::text, provider_cost::text, output_text::int FROM request_log WHERE request_id = $1',
    values: [requestId],
  });
  return { entries, rows };
}

/** Once its process has sent a heartbeat after it, with all its progress, it sends none for ten seconds. */
async function readNow(): Promise<string> {
  const text = 'SELECT clock_timestamp()::text AS now';
  return (await fresh.database.query<{ now: string }>({ text })).rows[0]?.now ?? '';
}

test('the hold of a dead process is closed with one row, at no cost when nothing was delivered', async () => {
  const requestId = await leaveOrphan();
  const sweeper = await sweepAsDead(requestId);
  assert.deepEqual(await readEnd(requestId), {
    entries: [{ kind: 'estimate', customer: '0', provider: '0' }],
    rows: [
      {
        finish_reason: 'gateway_error',
        estimated: true,
        customer_cost: '0',
        provider_cost: '0',
        output_text: 5,
      },
    ],
  });
  assert.equal(await sweeper.ledger.sweep(), 0);
  assert.deepEqual(await sweeper.ledger.check(), []);
});

test('what was delivered before the death is charged from the last progress that was written', async () => {
  const requestId = await leaveOrphan();
  const since = await readNow();
  const row = createRow(fresh.caller, requestId, { finishReason: 'gateway_error' });
  fresh.accounts.ledger.recordProgress(requestId, { customer: 10n, provider: 5n, row });
  fresh.accounts.ledger.recordProgress(requestId, {
    customer: 30n,
    provider: 20n,
    row: createRow(fresh.caller, requestId, {
      finishReason: 'gateway_error',
      usage: createUsage({ outputText: 77 }),
    }),
  });
  const isWritten = async (): Promise<boolean> => {
    const text = 'SELECT FROM owner WHERE delivered::jsonb ? $1 AND heartbeat_at > $2';
    return (await fresh.database.query({ text, values: [requestId, since] })).rows.length === 1;
  };
  await until('the progress is written', isWritten);
  const sweeper = await sweepAsDead(requestId);
  assert.deepEqual(await readEnd(requestId), {
    entries: [{ kind: 'estimate', customer: '30', provider: '20' }],
    rows: [
      {
        finish_reason: 'gateway_error',
        estimated: true,
        customer_cost: '30',
        provider_cost: '20',
        output_text: 77,
      },
    ],
  });
  assert.deepEqual(await sweeper.ledger.check(), []);
});

test('what was delivered a moment before the death is charged, as its process noted it for all its answers', async () => {
  const [one, other] = [await leaveOrphan(), await leaveOrphan()];
  const since = await readNow();
  const note = (requestId: string, customer: bigint, outputText: number): void => {
    const row = createRow(fresh.caller, requestId, {
      finishReason: 'gateway_error',
      usage: createUsage({ outputText }),
    });
    fresh.accounts.ledger.recordProgress(requestId, { customer, provider: 20n, row });
  };
  note(one, 30n, 77);
  note(other, 50n, 88);
  const isRecorded = async (): Promise<boolean> => {
    const text = 'SELECT FROM owner WHERE delivered::jsonb @> $1 AND heartbeat_at > $2';
    const noted = JSON.stringify({ [one]: { c: '30' }, [other]: { c: '50' } });
    return (await fresh.database.query({ text, values: [noted, since] })).rows.length === 1;
  };
  await until('it is recorded', isRecorded);
  // As if it had crashed before its holds were reported.
  const text = `UPDATE hold SET progress = CASE request_id WHEN $1 THEN '{"c": "60", "p": "1"}'::jsonb || jsonb_build_object('row', row::jsonb) END
    WHERE request_id = ANY ($2)`;
  await fresh.database.query({ text, values: [other, [one, other]] });
  const sweeper = await sweepAsDead(one);
  const ends = [await readEnd(one), await readEnd(other)];
  assert.deepEqual(
    ends.map(({ entries, rows }) => [
      entries,
      rows.map((row) => (row as { output_text: number }).output_text),
    ]),
    [
      [[{ kind: 'estimate', customer: '30', provider: '20' }], [77]],
      [[{ kind: 'estimate', customer: '60', provider: '1' }], [5]], // the later report is in the hold
    ],
  );
  assert.deepEqual(await sweeper.ledger.check(), []);
});

test('a request that is open as its process stops is charged what it had delivered', async () => {
  const stopping = await fresh.join();
  const requestId = await leaveOrphan(stopping.ledger);
  const row = createRow(fresh.caller, requestId, { usage: createUsage({ outputText: 77 }) });
  stopping.ledger.recordProgress(requestId, { customer: 30n, provider: 20n, row });
  await stopping.close();
  const sweeper = await fresh.join();
  const { entries, rows } = await readEnd(requestId);
  assert.deepEqual(entries, [{ kind: 'estimate', customer: '30', provider: '20' }]);
  assert.equal((rows[0] as { output_text: number }).output_text, 77);
  assert.deepEqual(await sweeper.ledger.check(), []);
});

test('an owner taken for crashed corrects its estimate, once, and the row has the exact cost', async () => {
  const requestId = await leaveOrphan();
  const sweeper = await sweepAsDead(requestId);
  const settle = (customer: bigint) =>
    fresh.accounts.ledger.settle({
      requestId,
      customer,
      provider: 7n,
      estimated: false,
      row: createRow(fresh.caller, requestId),
    });
  await settle(42n);
  await settle(99n);
  assert.deepEqual(await readEnd(requestId), {
    entries: [
      { kind: 'estimate', customer: '0', provider: '0' },
      { kind: 'adjust', customer: '42', provider: '7' },
    ],
    rows: [
      {
        finish_reason: 'completed',
        estimated: false,
        customer_cost: '42',
        provider_cost: '7',
        output_text: 5,
      },
    ],
  });
  assert.deepEqual(await sweeper.ledger.check(), []);
});

test('the hold of a living process is left alone, however old it is', async () => {
  const owner = await fresh.join();
  const requestId = await leaveOrphan(owner.ledger);
  await fresh.database.query({
    text: `UPDATE hold SET created_at = now() - interval '2 hours' WHERE request_id = $1`,
    values: [requestId],
  });
  const other = await fresh.join();
  assert.equal(await other.ledger.sweep(), 0);
  await owner.ledger.settle({
    requestId,
    customer: 1n,
    provider: 1n,
    estimated: false,
    row: createRow(fresh.caller, requestId),
  });
  assert.deepEqual((await readEnd(requestId)).entries, [{ kind: 'usage', customer: '1', provider: '1' }]);
});

test('a process that owns the database closes every other hold at its start', async () => {
  const owner = await fresh.join();
  const requestIds = [await leaveOrphan(owner.ledger), await leaveOrphan(owner.ledger)];
  const only = await fresh.join({ exclusive: true });
  for (const requestId of requestIds) {
    assert.deepEqual((await readEnd(requestId)).entries, [
      { kind: 'estimate', customer: '0', provider: '0' },
    ]);
  }
  assert.deepEqual(await only.ledger.check(), []);
});

test('what a process leaves open when it stops is an orphan at once', async () => {
  const owner = await fresh.join();
  const requestId = await leaveOrphan(owner.ledger);
  await owner.close();
  const other = await fresh.join();
  assert.equal((await readEnd(requestId)).rows.length, 1);
  assert.deepEqual(await other.ledger.check(), []);
});

test('a process that has stopped admits nothing more', async () => {
  const owner = await fresh.join();
  await owner.close();
  await assert.rejects(leaveOrphan(owner.ledger), { code: 'shutting_down' });
});

test('two sweepers at once close each hold once', async () => {
  const owner = await fresh.join();
  const requestIds = await Promise.all(Array.from({ length: 20 }, () => leaveOrphan(owner.ledger)));
  const others = [await fresh.join(), await fresh.join()];
  let closed = 0;
  await until('all are closed', async () => {
    await setHeartbeat(requestIds[0]!, '31 seconds');
    for (const count of await Promise.all(others.map((other) => other.ledger.sweep()))) closed += count;
    return closed >= 20;
  });
  assert.equal(closed, 20);
  assert.deepEqual(await others[0]!.ledger.check(), []);
});

test('a clock that is set back an hour leaves no hold of a dead process behind', async () => {
  const other = await fresh.join();
  const requestId = await leaveOrphan(other.ledger);
  await setHeartbeat(requestId, '-1 hour');
  await fresh.join(); // sweeps
  assert.deepEqual((await readEnd(requestId)).rows, [], 'it might live');
  const { rows } = await fresh.database.query<{ ahead: boolean }>({
    text: `SELECT heartbeat_at > now() AS ahead FROM owner
           WHERE epoch = (SELECT owner_epoch FROM hold WHERE request_id = $1)`,
    values: [requestId],
  });
  assert.deepEqual(rows, [{ ahead: false }], 'from now on its silence counts');
  await sweepAsDead(requestId);
  assert.equal((await readEnd(requestId)).rows.length, 1);
});

test('a clock that is set forward a day costs a living process nothing: what it settles is what counts', async () => {
  const requestId = await leaveOrphan();
  const sweeper = await sweepAsDead(requestId, '1 day');
  assert.equal((await readEnd(requestId)).entries.length, 1, 'it was taken for dead');
  await fresh.accounts.ledger.settle({
    requestId,
    customer: 42n,
    provider: 7n,
    estimated: false,
    row: createRow(fresh.caller, requestId),
  });
  const { rows } = await readEnd(requestId);
  assert.deepEqual(
    rows.map((row) => [row['customer_cost'], row['provider_cost'], row['estimated']]),
    [['42', '7', false]],
  );
  assert.deepEqual(await sweeper.ledger.check(), []);
});
