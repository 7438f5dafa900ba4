import { readFileSync } from 'node:fs';

/** The line of a whole file in node's spec reporter: its path and the milliseconds it took. */
export const SUITE = /^[✔✖] (\S+\.test\.ts) \(([\d.]+)ms\)$/gm;
/** The closing lines of that reporter. */
const FIGURE = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)\n?/gm;

/** What the spec reporter of a process writes, to be printed file by file while the process runs. */
export class ReportFile {
  readonly path: string;
  #printed = 0;

  constructor(path: string) {
    this.path = path;
  }

  /** The figures of the closing lines, such as `tests` and `pass`; none if the process ended before. */
  readFigures(): Map<string, number> {
    return new Map([...this.#read().matchAll(FIGURE)].map(([, name = '', figure]) => [name, Number(figure)]));
  }

  /** Whether it ends with the failures, of tests or hooks. */
  hasFailures(): boolean {
    return /^✖ failing tests:$/m.test(this.#read());
  }

  /** The results of all tests. */
  readResults(): string {
    return this.#read().replaceAll(FIGURE, '').trim();
  }

  /** The results of files that are complete and were not returned yet. */
  readFinished(): string {
    const fresh = this.#read().slice(this.#printed);
    const last = [...fresh.matchAll(SUITE)].at(-1);
    const finished = last ? fresh.slice(0, last.index + last[0].length) : '';
    this.#printed += finished.length;
    return finished.trim();
  }

  /** The results that were not returned yet. */
  readRest(): string {
    return this.#read().slice(this.#printed).replaceAll(FIGURE, '').trim();
  }

  #read(): string {
    try {
      return readFileSync(this.path, 'utf8');
    } catch {
      return ''; // the process has not begun to report
    }
  }
}
