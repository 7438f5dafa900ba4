import { startDeadline } from '#base';
import { GatewayError } from '#errors';

const RETRY_AFTER_SECONDS = 2;

/** Whether an error means that the store was not reached, so that a retry may work. */
export function isStoreDown(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'store_unavailable';
}

/** Whether an error is caused by the data sent, so that items must be retried one by one. */
export function isPoison(error: unknown): boolean {
  return !isStoreDown(error);
}

export function createStoreTooSlow(): GatewayError {
  return new GatewayError('store_unavailable', 'the gateway’s database is overloaded; retry in 2 seconds', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

export function createShutdown(message: string): GatewayError {
  return new GatewayError('shutting_down', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/**
 * Admitted requests must be settled whatever happens to the database: without room to journal settlements, none is
 * admitted.
 */
export function createJournalDown(): GatewayError {
  return new GatewayError(
    'store_unavailable',
    'this gateway cannot store settlements safely at the moment; retry in 2 seconds',
    { detail: 'the journal cannot be written or is full', retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

/** A store slower than this for a waiting caller counts as down: a refusal with its own row is sent within 2 s. */
export const STORE_LIMIT_MS = 1_400;

/** After this time a settlement goes to the journal, so that its caller gets the end of the answer. */
export const SETTLE_LIMIT_MS = 500;

/** Stops waiting for the store after its limit; the work continues, and the caller of this function handles its outcome. */
export function withDeadline<Value>(work: Promise<Value>, limitMs = STORE_LIMIT_MS): Promise<Value> {
  return new Promise((resolve, reject) => {
    const deadline = startDeadline(limitMs, () => reject(createStoreTooSlow()));
    const stop = (): void => deadline.stop();
    work.then(resolve, reject).then(stop, stop);
  });
}
