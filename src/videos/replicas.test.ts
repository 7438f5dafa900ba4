import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUsage } from '#canonical';
import { openFreshAccounts } from '../../test/support/fresh-accounts.ts';
import { JobStore } from './jobs/job-store.ts';
import type { VideoJob } from './jobs/video-job.ts';

/** No claim expires here, however slow the machine. */
const LEASE_MS = 600_000;

test('jobs that are due are taken by one process each, and again only when its lease has ended', async () => {
  await using fresh = await openFreshAccounts();
  const { database, caller, accounts } = fresh;
  const stores = [new JobStore(database), new JobStore(await fresh.fresh.connect())] as const;
  for (let count = 0; count < 40; count += 1) await keepJob(count);
  const claims = await Promise.all(
    Array.from({ length: 8 }, (_, index) => stores[index % 2 === 0 ? 0 : 1].claim(8, LEASE_MS)),
  );
  const taken = claims.flat().map(({ id }) => id);
  assert.equal(new Set(taken).size, taken.length);
  const rest = [...(await stores[0].claim(40, LEASE_MS)), ...(await stores[1].claim(40, LEASE_MS))];
  assert.equal(new Set([...taken, ...rest.map(({ id }) => id)]).size, 40);
  assert.deepEqual(await stores[0].claim(40, LEASE_MS), []);
  await database.query({ text: `UPDATE video_job SET leased_until = clock_timestamp() - interval '1 ms'` });
  assert.equal((await stores[1].claim(40, LEASE_MS)).length, 40);
  assert.deepEqual(await accounts.ledger.check(), []);

  async function keepJob(count: number): Promise<void> {
    const requestId = `req_${count}`;
    const job = createJob(requestId);
    await accounts.ledger.reserve({ requestId, caller, amount: 10n, row: job.row });
    await database.transaction(async (client) => {
      assert.ok(await stores[0].insert(client, { job, orderDigest: 'x', leaseMs: 0 }));
      await accounts.ledger.transferHold(client, requestId);
    });
  }

  function createJob(requestId: string): VideoJob {
    const { organizationId, projectId, keyId } = caller;
    const row: VideoJob['row'] = {
      requestId,
      organizationId,
      projectId,
      keyId,
      startedAt: 0,
      endpoint: '/v1/videos',
      format: 'chat',
      stream: false,
      requestedModel: 'm',
      finishReason: 'gateway_error',
      status: 0,
      cached: false,
      estimated: true,
      usage: createUsage(),
      customer: '0',
      provider: '0',
      attempts: [],
      durationMs: 0,
    };
    const names = { requestedModel: 'm', modelId: 'm', providerId: 'p', externalId: 'm', prompt: 'a cat' };
    const state = { status: 'queued' as const, progress: 0, createdAt: 0, deadline: 1, failures: 0 };
    const order = { seconds: 4, size: '1280x720', cost: 10n, premium: false };
    return {
      id: `video_${requestId}`,
      requestId,
      organizationId,
      projectId,
      keyId,
      ...names,
      ...order,
      ...state,
      row,
    };
  }
});

test('the hold of a job outlives its process: no sweep touches it', async () => {
  await using fresh = await openFreshAccounts();
  const { accounts, database, caller } = fresh;
  const row = { requestId: 'req_a', ...caller, finishReason: 'gateway_error' };
  await accounts.ledger.reserve({ requestId: 'req_a', caller, amount: 10n, row });
  await database.transaction((client) => accounts.ledger.transferHold(client, 'req_a'));
  await database.query({ text: `UPDATE owner SET heartbeat_at = now() - interval '1 hour'` });
  const other = await fresh.join({ exclusive: true });
  await other.ledger.sweep();
  const { rows } = await database.query({ text: 'SELECT request_id, owner_epoch FROM hold' });
  assert.deepEqual(rows, [{ request_id: 'req_a', owner_epoch: 0n }]);
  const [difference] = await other.ledger.check();
  assert.deepEqual(
    [difference?.what, difference?.subject, difference?.actual],
    ['hold of a job', 'req_a', 'no job'],
  );
});
