import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HealthRegistry } from '#routing';
import { silentLog } from '#telemetry';
import { ExportReceiver, RECEIVER_SECRET } from '../../../test/support/export-receiver.ts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { until } from '../../../test/support/until.ts';
import { composeAlerts } from './compose-alerts.ts';

/** Within the 10 s after which a delivery without an answer ends by itself. */
const SOON_MS = 9_000;

type Sources = Parameters<typeof composeAlerts>[0];
type Alerts = ReturnType<typeof composeAlerts>;

/** Alerts to this receiver, the first of which has been sent. */
async function sendFirst(
  receiver: ExportReceiver,
  sources: Pick<Sources, 'stores'> & Partial<Sources>,
): Promise<Alerts> {
  const alerts = composeAlerts({
    log: silentLog,
    health: new HealthRegistry(),
    feed: { report: undefined },
    exports: { progress: new Map() },
    ...sources,
  });
  const settings = { url: receiver.url, secret: RECEIVER_SECRET, budgets: [], ledgerCheckHours: 0 };
  alerts.replace(settings as unknown as Parameters<Alerts['replace']>[0]);
  await until('it is sent', () => receiver.requests.length > 0);
  return alerts;
}

test('an outage is one of the gateway’s credentials, not of a key that only one organization has', async () => {
  await using fresh = await openFreshAccounts();
  await using receiver = await ExportReceiver.start();
  const health = new HealthRegistry();
  const fail = (externalId: string, credential?: string): void => {
    const one = health.of({ providerId: 'openai', externalId }, credential);
    for (let call = 0; call < 12; call += 1) one.fail(call, { pauseMs: 1_000 });
  };
  fail('own', 'pkey_0123456789');
  fail('custom', 'cprov_0123456789');
  fail('shared');
  fail('named', 'main');
  const alerts = await sendFirst(receiver, { stores: fresh, health });
  await alerts.close();
  assert.match(String(receiver.requests[0]?.body), /"models":\["named","shared"\]/);
});

test('a stop does not wait for a receiver of alerts that does not answer', async () => {
  await using fresh = await openFreshAccounts();
  await using receiver = await ExportReceiver.start();
  receiver.mode = 'silent';
  const failing = { type: 'http', waiting: 1, failures: 9 };
  const progress = new Map([['siem', failing]]);
  const alerts = await sendFirst(receiver, { stores: fresh, exports: { progress } });
  const startedMs = performance.now();
  await alerts.close();
  assert.ok(performance.now() - startedMs < SOON_MS);
});
