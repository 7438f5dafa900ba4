import { GatewayError } from '#errors';

const RETRY_AFTER_SECONDS = 2;

/** Whether an error says that the store could not be asked, so that asking again may work. */
export function isStoreDown(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'store_unavailable';
}

/** Whether an error is the fault of what was sent: another try, or another sender's part of it, fares differently. */
export function isPoison(error: unknown): boolean {
  return !isStoreDown(error);
}

export function createQueueFull(): GatewayError {
  return new GatewayError('store_unavailable', 'the database does not keep up; try again', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Sees to it that a caller who meets a store that is down learns when to come back. */
export function withRetryAfter(error: unknown): unknown {
  if (!(error instanceof GatewayError) || !isStoreDown(error) || error.facts.retryAfterSeconds !== undefined)
    return error;
  return new GatewayError('store_unavailable', error.message, {
    ...error.facts,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

const TRIES = 3;
/** Serialization failure and deadlock: the database undid the statement and asks for another try. */
const CONFLICTS: readonly unknown[] = ['40001', '40P01'];

export async function retryConflicts<Value>(run: () => Promise<Value>): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries === TRIES || !isConflict(error)) throw error;
    }
  }
}

function isConflict(error: unknown): boolean {
  const source = error instanceof GatewayError ? error.cause : error;
  return typeof source === 'object' && source !== null && 'code' in source && CONFLICTS.includes(source.code);
}
