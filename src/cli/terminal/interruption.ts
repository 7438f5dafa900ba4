import { systemClock } from '#base';

/** The exit code of an interrupted command. */
export const INTERRUPTED = 130;

/** What rejects work that a signal has interrupted. */
export class Interrupted extends Error {}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm and shells forward a signal that the terminal already sent to this process: the copy is not a second signal. */
const ECHO_MS = 300;

/** Calls back for each signal that is not the echo of another, until the returned function is called. */
export function listenToSignals(listener: () => void): () => void {
  let lastMs = -Infinity;
  const onSignal = (): void => {
    const nowMs = systemClock.monotonicMs();
    const isEcho = nowMs - lastMs < ECHO_MS;
    lastMs = nowMs;
    if (!isEcho) listener();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

/** Aborts its signal when the process is interrupted; a second interruption ends the process at once. */
export function awaitInterruption(): { signal: AbortSignal } & Disposable {
  const stop = new AbortController();
  const end = listenToSignals(() => {
    if (stop.signal.aborted) process.exit(INTERRUPTED);
    stop.abort(new Interrupted());
  });
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => {
      // The echo of the signal may come while the process ends.
      if (!stop.signal.aborted) end();
    },
  };
}

/** Runs work that ends soon after its signal; an interruption takes the place of the failure that it causes. */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  using interruption = awaitInterruption();
  const { signal } = interruption;
  try {
    return await work(signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** The result of work, unless it is interrupted before. */
export async function unlessInterrupted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
