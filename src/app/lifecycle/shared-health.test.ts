import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#base';
import { HealthRegistry } from '#routing';
import { openFreshDatabase } from '../../../test/support/fresh-database.ts';
import { SharedHealth } from './shared-health.ts';

const mapping = { providerId: 'acme', externalId: 'm' };
const other = { providerId: 'acme', externalId: 'other' };

test('processes share what a provider asked of one and how fast it is, not their failures', async () => {
  await using fresh = await openFreshDatabase();
  const { database } = fresh;
  const open = () => {
    const health = new HealthRegistry();
    return { health, shared: new SharedHealth({ database, health, clock: systemClock }) };
  };
  const [one, two] = [open(), open()];
  const nowMs = systemClock.monotonicMs();
  one.health.of(mapping).fail(nowMs, { pauseMs: 1_000, retryAfterMs: 60_000 });
  one.health.of(mapping).measure('firstEvent', nowMs, 250);
  for (let request = 0; request < 20; request += 1) one.health.of(other).fail(nowMs, { pauseMs: 60_000 });
  await one.shared.exchange();
  await two.shared.exchange();
  const adopted = two.health.of(mapping);
  assert.equal(adopted.stateAt(systemClock.monotonicMs()), 'closed');
  assert.ok(adopted.pausedUntilMs <= nowMs + 60_100, 'not longer than the provider asked');
  assert.equal(adopted.expectedMs, 250);
  assert.equal(two.health.of(other).isTrusted, true);

  await two.shared.exchange();
  const { rows } = await database.query<{ n: bigint }>({
    text: 'SELECT count(DISTINCT process) AS n FROM mapping_health',
  });
  assert.equal(rows[0]?.n, 1n, 'what was adopted is not passed on');
});

test('own times are not replaced by those of others', async () => {
  await using fresh = await openFreshDatabase();
  const { database } = fresh;
  const [health, others] = [new HealthRegistry(), new HealthRegistry()];
  health.of(mapping).succeed(0);
  health.of(mapping).measure('firstEvent', 0, 100);
  others.of(mapping).succeed(0);
  others.of(mapping).measure('firstEvent', 0, 900);
  await new SharedHealth({ database, health: others, clock: systemClock }).exchange();
  await new SharedHealth({ database, health, clock: systemClock }).exchange();
  assert.equal(health.of(mapping).expectedMs, 100);
});
