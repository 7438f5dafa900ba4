import { fillLog } from '../../test/support/fill-log.ts';
import type { InProcessGateway } from '../../test/support/in-process.ts';

const HOUR_MS = 3_600_000;

/** Requests of the current hour and the 23 before it. */
export async function countDay({ request, accounts }: InProcessGateway): Promise<number> {
  const { secret } = await accounts.directory.createAdminKey({ label: 'count' });
  const since = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 23 * HOUR_MS).toISOString();
  const usage = await request(`/admin/v1/usage?since=${since}`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  return ((await usage.json()) as { total: { requests: number } }).total.requests;
}

/** Requests of a day, with costs of some cents instead of some hundred dollars. */
export async function fillDay({ database }: InProcessGateway): Promise<void> {
  await fillLog(database, { rows: 5_000, days: 1, organizations: 3, batch: 5_000 });
  await database.query({
    text: `INSERT INTO usage_late SELECT DISTINCT usage_hour_of(started_at) FROM request_log, log_state
      WHERE started_at < closed_through`,
  });
  for (const table of ['request_log', 'usage_hour', 'usage_day']) {
    const costs = ['customer_cost', 'provider_cost'].map((name) => `${name} = trunc(${name} / 100000)`);
    // Those of other requests are as they are.
    await database.query({
      text: `UPDATE ${table} SET ${costs.join(', ')} WHERE organization_id IN ('org_0', 'org_1', 'org_2')`,
    });
  }
}
