import { startDeadline } from '#base';
import { GatewayError } from '#errors';

const RETRY_AFTER_SECONDS = 2;

/** Whether an error says that the store could not be asked, so that asking again may work. */
export function isStoreDown(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'store_unavailable';
}

/** Whether an error is the fault of what was sent, so that each part of it fares differently. */
export function isPoison(error: unknown): boolean {
  return !isStoreDown(error);
}

export function createStoreTooSlow(): GatewayError {
  return new GatewayError('store_unavailable', 'the database of this gateway does not keep up; try again', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

export function createShutdown(message: string): GatewayError {
  return new GatewayError('shutting_down', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** What is admitted must be settled whatever happens to the database: without a place to keep settlements nothing is. */
export function createJournalDown(): GatewayError {
  return new GatewayError(
    'store_unavailable',
    'this gateway cannot keep its settlements safe at the moment; try again',
    { detail: 'the journal cannot be written or is full', retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

/** A store that takes longer for what a caller waits for counts as down: with its own row a refusal is told within 2 s. */
export const STORE_LIMIT_MS = 1_400;

/** After this time a settlement goes to the journal, so that its caller gets the end of the answer. */
export const SETTLE_LIMIT_MS = 500;

/** Stops waiting, not the work: what it comes to is for the caller to find out. */
export function withDeadline<Value>(limitMs: number, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const deadline = startDeadline(limitMs, () => reject(createStoreTooSlow()));
    const stop = (): void => deadline.stop();
    work.then(resolve, reject).then(stop, stop);
  });
}
