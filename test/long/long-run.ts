/** The options of a long run. */
interface LongRunPlan {
  seed: number;
  count: number | undefined;
  /** How many of what the run counts are left out at its beginning, to continue one that was ended. */
  skip: number;
  /** Part of the path of the files that it looks at. */
  only: string;
  /** How long each part takes. */
  seconds: number | undefined;
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
