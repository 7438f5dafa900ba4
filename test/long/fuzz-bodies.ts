import { STALL_MS, runFuzzCases } from '../support/fuzz/fuzz-run.ts';
import type { LongRun } from './long-run.ts';

const CASES = 120_000;

export const runFuzzBodies: LongRun = {
  name: 'fuzz-bodies',
  summary: `${CASES.toLocaleString('en')} damaged requests with values of up to a million items; every sixth is a damaged answer`,
  async run({ seed, count = CASES, report }) {
    const { faults, ...figures } = await runFuzzCases({ seed, count, report });
    const { requests, answers, accepted, refused, repeated, canaries, slowestCanaryMs, rows } = figures;
    const done = [
      `${requests.toLocaleString('en')} damaged requests and ${answers.toLocaleString('en')} damaged answers`,
      `${accepted.toLocaleString('en')} accepted, ${refused.toLocaleString('en')} refused`,
      `${repeated} repeated after a 503 with retry-after`,
      `${rows.toLocaleString('en')} rows`,
      `${canaries.toLocaleString('en')} canaries answered, the slowest after ${slowestCanaryMs.toFixed(0)} ms`,
      `${faults.length} faults, stalls beyond ${STALL_MS} ms of processor time among them`,
    ].join('; ');
    if (faults.length > 0) throw new Error(`${done}:\n${faults.join('\n')}`);
    return done;
  },
};
