import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { assertRefusal } from '../../../../test/support/refusal.ts';
import { sendAdmin } from '../../../../test/support/admin-calls.ts';
import { until } from '../../../../test/support/until.ts';
import { shareGateway } from '../../../../test/support/share-gateway.ts';

const REPORTS = [
  'logs',
  'usage',
  'latency',
  'sessions',
  'sessions/s-1',
  'cache_misses',
  'experiments',
  'advice',
  'what_if?model=chat-model',
];

let headers: Record<string, string>;
const gateway = shareGateway();
before(async () => {
  const { secret } = await gateway.accounts.directory.createAdminKey({ label: 'operator' });
  headers = { authorization: `Bearer ${secret}` };
});

/** Whether a command has waited for its statement longer than a request may. */
async function isCommandWaiting(): Promise<boolean> {
  const { rows } = await gateway.database.query({
    text: `SELECT FROM pg_stat_activity WHERE application_name = 'sluice command' AND wait_event_type = 'Lock'
      AND clock_timestamp() - query_start > interval '2.5 s'`,
  });
  return rows.length > 0;
}

test('a report of all organizations is limited to two seconds through the API, but not as a command', async () => {
  const ask = async (path: string): Promise<void> => {
    const response = await sendAdmin(gateway, { method: 'GET', path: `/${path}` }, headers);
    const { error } = (await response.clone().json()) as { error: { param: string } };
    assert.equal(error.param, 'since', path);
    const expected = { format: 'chat', status: 400, code: 'invalid_request' } as const;
    const message = await assertRefusal(response, expected);
    assert.equal(message, 'this query took longer than 2 s; narrow it by time, project or key', path);
  };
  const session = await gateway.database.openSession();
  try {
    await session.query({ text: 'BEGIN' });
    await session.query({ text: 'LOCK TABLE request_log IN ACCESS EXCLUSIVE MODE' });
    const command = gateway.cli('usage');
    await Promise.all(REPORTS.map(ask));
    await until('the command waits for longer', isCommandWaiting);
    await session.query({ text: 'COMMIT' });
    const { code, stderr } = await command;
    assert.equal(code, 0, stderr);
  } finally {
    await session.close();
  }
});

/** How many statements of the gateway wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rows } = await gateway.database.query({
    text: `SELECT FROM pg_stat_activity WHERE application_name = 'sluice gateway' AND wait_event_type = 'Lock'`,
  });
  return rows.length;
}

test('however many reports a key asks for, most connections to the database are left to others', async () => {
  const session = await gateway.database.openSession();
  try {
    await session.query({ text: 'BEGIN' });
    await session.query({ text: 'LOCK TABLE request_log IN ACCESS EXCLUSIVE MODE' });
    const reports = Array.from({ length: 16 }, () => gateway.request('/v1/sessions'));
    await until('the reports are under way', async () => (await countWaiting()) >= 6);
    for (let times = 0; times < 20; times += 1)
      assert.equal((await gateway.request('/v1/models?limit=1')).status, 200);
    assert.equal(await countWaiting(), 6);
    await session.query({ text: 'COMMIT' });
    assert.ok((await Promise.all(reports)).every(({ status }) => status === 200 || status === 400));
  } finally {
    await session.close();
  }
});
