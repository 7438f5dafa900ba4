/** What a long run is given. */
interface LongRunPlan {
  seed: number;
  count: number | undefined;
  /** Shows how far it has come. */
  report(line: string): void;
}

/** A test too long for every day. */
export interface LongRun {
  name: string;
  summary: string;
  /** Throws where a promise is broken; else says what was done. */
  run(plan: LongRunPlan): string | Promise<string>;
}
