interface BreakerOptions {
  /** Checks whether the store answers again. */
  probe(): Promise<void>;
  /** Whether an error is a reply from the store, such as a refusal. */
  isAnswer(error: unknown): boolean;
  onChange(isOpen: boolean): void;
}

/**
 * A circuit breaker: lets calls through while the store answers; after consecutive failures none, until a probe
 * succeeds.
 */
interface Breaker {
  /** Runs a call; `undefined` if the store failed or the breaker is open. */
  run<Value>(call: () => Promise<Value>): Promise<Value | undefined>;
  /** Opens the breaker, as after failures. */
  open(): void;
  close(): void;
}

const MOST_FAILURES = 3;
const PROBE_EVERY_MS = 250;

export function createBreaker(options: BreakerOptions): Breaker {
  const { probe, isAnswer, onChange } = options;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const tryAgain = async (): Promise<void> => {
    try {
      await probe();
      if (isClosed) return;
      timer = undefined;
      failures = 0;
      onChange(false);
    } catch {
      if (!isClosed) wait();
    }
  };
  const wait = (): void => {
    timer = setTimeout(() => void tryAgain(), PROBE_EVERY_MS).unref();
  };
  const note = (error: unknown): void => {
    if (isAnswer(error)) return;
    failures += 1;
    if (failures >= MOST_FAILURES) open();
  };
  const open = (): void => {
    if (timer !== undefined || isClosed) return;
    wait();
    onChange(true);
  };

  return {
    run: async (call) => {
      if (timer !== undefined) return undefined;
      try {
        const value = await call();
        failures = 0;
        return value;
      } catch (error) {
        note(error);
        return undefined;
      }
    },
    open,
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
