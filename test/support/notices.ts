import type { InProcessGateway } from './in-process.ts';
import { until } from './until.ts';

/** Waits until a gateway has been notified of every change so far. */
export type AwaitNotices = () => Promise<void>;

/**
 * Notifications arrive in the order of their changes: once the gateway has seen a key turned off or on, it has seen
 * everything before.
 */
export async function followNotices({
  createKey,
  request,
  database,
}: InProcessGateway): Promise<AwaitNotices> {
  const { id, authorization } = await createKey('--label', 'signal');
  const isOpen = async (): Promise<boolean> =>
    (await request('/v1/key', { headers: { authorization } })).status === 200;
  return async () => {
    const wasOpen = await isOpen();
    await database.query({
      text: 'UPDATE api_key SET disabled_at = CASE WHEN $2 THEN now() END WHERE id = $1',
      values: [id, wasOpen],
    });
    await until('the notices are received', async () => (await isOpen()) !== wasOpen);
  };
}
