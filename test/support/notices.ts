import type { Database } from '#storage';
import type { Gateway } from './gateway.ts';
import { until } from './until.ts';

/** Waits until a gateway has heard of every change so far. */
export type AwaitNotices = () => Promise<void>;

/**
 * Notifications come in the order of their changes: a key is turned off or on, and once the gateway has heard of that, it has
 * heard of all before it.
 */
export async function followNotices(gateway: Gateway, database: Database): Promise<AwaitNotices> {
  const { id, authorization } = await gateway.createKey('--label', 'signal');
  const isOpen = async (): Promise<boolean> =>
    (await gateway.request('/v1/key', { headers: { authorization } })).status === 200;
  return async () => {
    const wasOpen = await isOpen();
    await database.query({
      text: 'UPDATE api_key SET disabled_at = CASE WHEN $2 THEN now() END WHERE id = $1',
      values: [id, wasOpen],
    });
    await until('the notices are heard', async () => (await isOpen()) !== wasOpen);
  };
}
