import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyTable } from '../../test/support/count-reads.ts';
import { openFreshDatabase } from '../../test/support/fresh-database.ts';
import { AlertStore } from './alert-store.ts';

test('as many alerts are claimed as asked for, also where statistics are of a time without any', async () => {
  await using fresh = await openFreshDatabase();
  const store = new AlertStore(fresh.database);
  const alerts = Array.from({ length: 1_000 }, (_, number) => {
    return { subject: `budget/${number}`, type: 'budget.threshold_reached' as const, data: {} };
  });
  await store.add(alerts);
  await emptyTable(fresh.database, 'alert_event');
  await store.add(alerts);
  assert.equal((await store.claim(10, 60_000)).length, 10);
});
