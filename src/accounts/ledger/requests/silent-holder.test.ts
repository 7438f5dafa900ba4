import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '#errors';
import { type FreshAccounts, createRow } from '../../../../test/support/fresh-accounts.ts';
import { openLeaseProcesses } from '../../../../test/support/lease-processes.ts';

interface Refused {
  heldByOther: bigint;
  silentForSeconds: number;
  amount: bigint;
}

async function setSilence({ database }: FreshAccounts, requestId: string, seconds: number): Promise<void> {
  await database.query({
    text: `UPDATE owner SET heartbeat_at = clock_timestamp() - make_interval(secs => $2)
      WHERE epoch = (SELECT owner_epoch FROM hold WHERE request_id = $1)`,
    values: [requestId, seconds],
  });
}

/** Asks for money of a key of 100, of which 10 is used and another process holds a part. */
async function refuse({ heldByOther, silentForSeconds, amount }: Refused): Promise<GatewayError> {
  await using processes = await openLeaseProcesses({ limit: 100n, admissionWaitMs: 300 });
  const { fresh } = processes;
  const { caller } = fresh;
  const other = await processes.start();
  const row = (requestId: string) => createRow(caller, requestId);
  const { ledger } = fresh.accounts;
  await ledger.reserve({ requestId: 'used', caller, amount: 10n, row: row('used') });
  await ledger.settle({
    requestId: 'used',
    customer: 10n,
    provider: 10n,
    estimated: false,
    row: row('used'),
  });
  await other.accounts.ledger.reserve({ requestId: 'other', caller, amount: heldByOther, row: row('other') });
  other.kill(); // no heartbeat comes meanwhile
  await setSilence(fresh, 'other', silentForSeconds);
  const refused = await ledger
    .reserve({ requestId: 'asked', caller, amount, row: row('asked') })
    .catch((error: unknown) => error);
  assert.ok(refused instanceof GatewayError);
  return refused;
}

test('money that a dead or paused process holds is worth a retry', async () => {
  const { code, status, facts, message } = await refuse({
    heldByOther: 60n,
    silentForSeconds: 15,
    amount: 50n,
  });
  assert.deepEqual([code, status], ['store_unavailable', 503]);
  const { retryAfterSeconds = 0 } = facts;
  assert.ok(retryAfterSeconds > 15 && retryAfterSeconds <= 25, String(retryAfterSeconds));
  assert.match(message, /does not answer holds the money this request needs; retry in \d+ seconds/);
});

test('money that a running process holds, or that is spent, is a limit', async () => {
  const held = await refuse({ heldByOther: 60n, silentForSeconds: 1, amount: 50n });
  assert.equal(held.code, 'key_limit_reached');
  const spent = await refuse({ heldByOther: 60n, silentForSeconds: 15, amount: 91n });
  assert.equal(spent.code, 'key_limit_reached');
});
