import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#telemetry';
import { ExportReceiver, RECEIVER_SECRET } from '../../../test/support/export-receiver.ts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { until } from '../../../test/support/until.ts';
import { composeAlerts } from './compose-alerts.ts';

/** Within the 10 s after which a delivery without an answer ends by itself. */
const SOON_MS = 9_000;

test('a stop does not wait for a receiver of alerts that does not answer', async () => {
  await using fresh = await openFreshAccounts();
  await using receiver = await ExportReceiver.start();
  receiver.mood = 'silent';
  const failing = { type: 'http', waiting: 1, failures: 9 };
  const alerts = composeAlerts({
    stores: fresh,
    log: silentLog,
    health: { all: new Map() },
    feed: { report: undefined },
    exports: { progress: new Map([['siem', failing]]) },
  });
  alerts.replace({
    url: receiver.url,
    secret: RECEIVER_SECRET,
    budgets: [],
    ledgerCheckHours: 0,
  } as unknown as Parameters<typeof alerts.replace>[0]);
  await until('it is sent', () => receiver.requests.length > 0);
  const startedMs = performance.now();
  await alerts.close();
  assert.ok(performance.now() - startedMs < SOON_MS);
});
