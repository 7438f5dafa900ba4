import type { Log, LogFacts } from './log.ts';

/** Lines of one kind within a window; further ones are counted. */
const MOST_LINES = 20;
const WINDOW_MS = 10_000;

interface Repeats {
  write: Write;
  facts: LogFacts;
  message: string;
  count: number;
}

type Write = (facts: LogFacts, message: string) => void;

/**
 * Writes warnings and errors of one kind at most twenty times in ten seconds, and then how many more there were: during an
 * outage every request has one.
 */
export function createThrottledLog(log: Log): Log {
  let kinds = new Map<string, Repeats>();
  const report = (): void => {
    const ended = kinds;
    kinds = new Map();
    for (const { write, facts, message, count } of ended.values())
      if (count > MOST_LINES) write({ ...facts, repeated: count - MOST_LINES }, message);
  };
  const throttle =
    (level: 'warn' | 'error'): Write =>
    (facts, message) => {
      if (kinds.size === 0) setTimeout(report, WINDOW_MS).unref();
      const kind = describeKind(level, facts, message);
      const repeats = kinds.get(kind) ?? { write: log[level].bind(log), facts, message, count: 0 };
      kinds.set(kind, repeats);
      repeats.count += 1;
      repeats.facts = facts;
      if (repeats.count <= MOST_LINES) log[level](facts, message);
    };
  return {
    debug: log.debug.bind(log),
    info: log.info.bind(log),
    warn: throttle('warn'),
    error: throttle('error'),
  };
}

/** All but figures and the request. */
function describeKind(level: string, facts: LogFacts, message: string): string {
  const texts = Object.entries(facts).filter(
    ([name, value]) => name !== 'requestId' && typeof value === 'string',
  );
  return JSON.stringify([level, message, ...texts.flat()]);
}
