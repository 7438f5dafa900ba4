/** One problem of the configuration. */
export interface SettingsProblem {
  /** The place: `sluice.yaml:4:7`, `SLUICE_PORT`, `--port`. */
  place: string;
  message: string;
}

/** Thrown if the configuration cannot be used; the message names every place and its problem. */
export class SettingsError extends Error {
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[]) {
    super(problems.map(({ place, message }) => `${place}: ${message}`).join('\n'));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}
