export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Structured fields of a log line; never secrets. */
export type LogFacts = Readonly<Record<string, string | number | boolean | undefined>>;

/** The operator's log. */
export interface Log {
  debug(facts: LogFacts, message: string): void;
  info(facts: LogFacts, message: string): void;
  warn(facts: LogFacts, message: string): void;
  error(facts: LogFacts, message: string): void;
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
