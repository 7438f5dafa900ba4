/** The options of a long run. */
interface LongRunPlan {
  seed: number;
  count: number | undefined;
  /** Reports progress. */
  report(line: string): void;
}

/** A test too long for daily runs. */
export interface LongRun {
  name: string;
  summary: string;
  /** Throws if a guarantee is broken; else returns a summary. */
  run(plan: LongRunPlan): string | Promise<string>;
}
