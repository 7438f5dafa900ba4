/** One thing that is wrong with the configuration. */
export interface SettingsProblem {
  /** Where: `sluice.yaml:4:7`, `SLUICE_PORT`, `--port`. */
  place: string;
  message: string;
}

/** Thrown where the configuration cannot be used; the message names every place and what is wrong there. */
export class SettingsError extends Error {
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[]) {
    super(problems.map(({ place, message }) => `${place}: ${message}`).join('\n'));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}
