import assert from 'node:assert/strict';
import { GatewayError } from '#errors';

/** The error by which synchronous work is refused. */
export function catchRefusal(work: () => unknown): GatewayError {
  try {
    work();
  } catch (thrown) {
    return requireRefusal(thrown);
  }
  return assert.fail('nothing was refused');
}

/** The error by which work is refused. */
export async function refusalOf(work: Promise<unknown>): Promise<GatewayError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return requireRefusal(thrown);
}

function requireRefusal(thrown: unknown): GatewayError {
  assert.ok(thrown instanceof GatewayError, String(thrown));
  return thrown;
}

/** For `assert.rejects`: the database is unavailable, and the caller learns when to come back. */
export function isStoreUnavailable(thrown: unknown): boolean {
  const { code, facts } = requireRefusal(thrown);
  assert.deepEqual([code, facts.retryAfterSeconds], ['store_unavailable', 2]);
  return true;
}
