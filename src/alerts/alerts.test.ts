import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { systemRandom, systemClock } from '#base';
import { createNoticeSender } from '#providers';
import type { Database } from '#storage';
import { silentLog } from '#telemetry';
import { ExportReceiver, RECEIVER_SECRET, isSigned } from '../../test/support/export-receiver.ts';
import { type FreshAccounts, createRow, openFreshAccounts } from '../../test/support/fresh-accounts.ts';
import { until } from '../../test/support/until.ts';
import type { AlertSettings, Condition } from './alert.ts';
import { AlertStore } from './alert-store.ts';
import { type Alerts, createAlerts } from './alerts.ts';

interface Message {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

const sender = createNoticeSender();
let fresh: FreshAccounts;
let receiver: ExportReceiver;
let settings: AlertSettings;
let conditions: Condition[] = [];
let differences: Record<string, string>[] = [];
let looks = 0;
const opened: Alerts[] = [];

before(async () => {
  fresh = await openFreshAccounts({ limit: 1_000n });
  receiver = await ExportReceiver.start();
  const thresholds = [50, 80, 100];
  settings = { url: receiver.url, secret: RECEIVER_SECRET, thresholds, forecast: true, ledgerCheckHours: 0 };
});

afterEach(async () => {
  for (const alerts of opened.splice(0)) await alerts.close();
  conditions = [];
});

after(async () => {
  await receiver[Symbol.asyncDispose]();
  await sender.close();
  await fresh[Symbol.asyncDispose]();
});

/** Alerts as one process of a gateway has them. */
function begin(changes: Partial<AlertSettings> = {}, database: Database = fresh.database): Alerts {
  const alerts = createAlerts({
    database,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    conditions: () => {
      looks += 1;
      return conditions;
    },
    checkLedger: async () => differences,
    post: sender.post,
    lookEveryMs: 20,
  });
  alerts.replace({ ...settings, ...changes });
  opened.push(alerts);
  return alerts;
}

/** Waits until what is true now has been looked at. */
async function look(): Promise<void> {
  const from = looks;
  await until('it is looked again', () => looks > from + 1);
}

const use = (amount: number, limit = 1_000): Promise<unknown> =>
  fresh.database.query({
    text: `UPDATE meter SET used = $2, lim = $3 WHERE kind = 'key' AND subject_id = $1`,
    values: [fresh.caller.keyId, amount, limit],
  });

const read = (type: string): Message[] =>
  receiver.requests
    .map(({ body }) => JSON.parse(body.toString()) as Message)
    .filter((message) => message.type === type);

async function awaitMessage(type: string, count: number): Promise<Record<string, unknown>> {
  await until(`${count} of ${type}`, () => read(type).length >= count);
  return read(type)[count - 1]?.data ?? {};
}

test('each threshold of a budget is alerted to once, by one of several processes, and not what was reached before', async () => {
  await use(510);
  begin();
  begin();
  await look();
  await use(850);
  const data = await awaitMessage('budget.threshold_reached', 1);
  assert.deepEqual(data, {
    budget: 'key',
    subject_id: fresh.caller.keyId,
    subject_name: 'test key',
    organization_id: fresh.caller.organizationId,
    threshold_percent: 80,
    used: '0.00000000085',
    limit: '0.000000001',
    period_start: null,
    period_end: null,
  });
  await use(1_000);
  await awaitMessage('budget.threshold_reached', 2);
  await look();
  await use(900);
  await look();
  assert.deepEqual(
    read('budget.threshold_reached').map((message) => message.data['threshold_percent']),
    [80, 100],
  );
  await use(900, 1_500);
  assert.equal(
    (await awaitMessage('budget.threshold_reached', 3))['limit'],
    '0.0000000015',
    'a new limit begins anew',
  );
});

test('what was reached before is not alerted to, however slow the first process is to store it', async () => {
  await fresh.database.query({ text: 'DELETE FROM alert_state' });
  await fresh.database.query({ text: 'DELETE FROM alert_event' });
  await use(510);
  const storing = Promise.withResolvers<undefined>();
  const released = Promise.withResolvers<undefined>();
  const query: Database['query'] = async (statement) => {
    if (statement.text.startsWith('INSERT INTO alert_event')) {
      storing.resolve(undefined);
      await released.promise;
    }
    return fresh.database.query(statement);
  };
  const sent = read('budget.threshold_reached').length;
  begin(
    {},
    new Proxy(fresh.database, {
      get: (of, name) => (name === 'query' ? query : (Reflect.get(of, name) as unknown)),
    }),
  );
  await storing.promise;
  begin();
  await look();
  released.resolve(undefined);
  await look();
  await use(1_000);
  const next = await awaitMessage('budget.threshold_reached', sent + 1);
  assert.equal(next['threshold_percent'], 100);
});

test('a budget that will not last until the end of its period is alerted to, one that will is not', async () => {
  const add = (name: string, used: number): Promise<unknown> =>
    fresh.database.query({
      text: `INSERT INTO meter (kind, subject_id, lim, used, starts_at, ends_at, lock_row_id)
        SELECT 'recurring', $1, 1000, $2, now() - interval '6 hours', now() + interval '18 hours', id FROM meter
        WHERE kind = 'key' AND subject_id = $3`,
      values: [name, used, fresh.caller.keyId],
    });
  begin();
  await add('key_fast', 300);
  await add('key_slow', 200);
  const data = await awaitMessage('budget.forecast_exceeded', 1);
  assert.equal(data['subject_id'], 'key_fast');
  assert.match(String(data['projected']), /^0\.00000000(12|11)/);
  await look();
  assert.equal(read('budget.forecast_exceeded').length, 1);
});

test('the beginning and the end of a condition are alerted to once, also if the process that saw it has ended', async () => {
  const outage: Condition = {
    name: 'provider/openai',
    begins: 'provider.outage',
    ends: 'provider.recovered',
    data: { provider: 'openai' },
  };
  conditions = [outage];
  const first = begin();
  const began = await awaitMessage('provider.outage', 1);
  await look();
  conditions = [];
  const ended = await awaitMessage('provider.recovered', 1);
  assert.deepEqual(ended, began, 'with the time of its beginning');
  conditions = [outage];
  await awaitMessage('provider.outage', 2);
  await first.close();
  conditions = [];
  begin();
  await fresh.database.query({ text: `UPDATE alert_state SET seen_at = now() - interval '3 minutes'` });
  await awaitMessage('provider.recovered', 2);
});

test('a difference in the ledger raises an alert that names it', async () => {
  differences = [{ what: 'used', subject: 'key key_1', expected: '5', actual: '7' }];
  begin({ ledgerCheckHours: 24 });
  await fresh.database.query({ text: `DELETE FROM alert_state WHERE name = 'ledger'` });
  assert.deepEqual(await awaitMessage('ledger.disagreement', 1), { count: 1, differences });
});

test('an alert that is not accepted is sent again with the same id, by the next process, and signed', async () => {
  receiver.mode = 'failing';
  const first = begin();
  const store = new AlertStore(fresh.database);
  await store.add([{ subject: 'test/1', type: 'test', data: {} }]);
  await until('it is taken', () => read('test').length > 0);
  await first.close();
  receiver.mode = 'accepting';
  await fresh.database.query({ text: 'UPDATE alert_event SET next_at = now()' });
  begin();
  await until('it is sent again', () => read('test').length > 1);
  const same = receiver.requests.filter(({ body }) => body.toString().includes('"type":"test"'));
  assert.equal(new Set(same.map(({ id }) => id)).size, 1);
  assert.ok(same.every((request) => isSigned(request)));
});

test('a session that loses a fifth of its cost and more than it may by missed caches is alerted to once; others are not', async () => {
  const lose = async (sessionId: string, cost: bigint, lost?: string): Promise<void> => {
    const row = createRow(fresh.caller, `req_${sessionId}_${lost ?? 'none'}`);
    const miss =
      lost === undefined ? {} : { cacheMiss: { reasons: [{ code: 'idle' }], tokens: 1_000, cost: lost } };
    const own = { startedAt: Date.now(), sessionId, customer: String(cost), provider: String(cost), ...miss };
    await fresh.database.query({
      text: 'INSERT INTO request_log SELECT * FROM request_log_decode($1)',
      values: [JSON.stringify([{ ...row, clientName: 'codex', ...own }])],
    });
  };
  await lose('before', 1_000n, '900');
  begin({ sessionLoss: 500n });
  await until('it is looked at sessions', async () => {
    const text = `SELECT FROM alert_event WHERE subject LIKE 'session/%/before'`;
    return (await fresh.database.query({ text })).rowCount === 1;
  });
  await lose('cheap', 1_000n, '499');
  await lose('large', 10_000n, '600');
  await lose('fine', 10_000n);
  await lose('bad', 1_000n, '400');
  await lose('bad', 500n, '150');
  const data = await awaitMessage('session.cache_loss', 1);
  assert.deepEqual(data, {
    session_id: 'bad',
    organization_id: fresh.caller.organizationId,
    client_name: 'codex',
    requests: 2,
    tokens: 2_000,
    lost: '0.00000000055',
    cost: '0.0000000015',
    reasons: [{ reason: 'idle', requests: 2, cost: '0.00000000055' }],
  });
  await lose('bad', 500n, '151');
  await look();
  await look();
  assert.equal(read('session.cache_loss').length, 1);
});
