const LONGEST_PAUSE_MS = 10_000;

/** Runs work round after round: at once while there is some, otherwise after a delay, a longer one after a fault. */
export function startRounds(
  { everyMs, onFault }: { everyMs: () => number; onFault(error: unknown): void },
  turn: () => Promise<number>,
): { stop(): Promise<void> } {
  let isStopped = false;
  let pauseMs = everyMs();
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      while (!isStopped && (await turn()) > 0);
      pauseMs = everyMs();
    } catch (error) {
      onFault(error);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    }
    if (!isStopped) schedule();
  };
  const schedule = (): void => {
    timer = setTimeout(() => void (current = run()), pauseMs).unref();
  };
  schedule();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}
