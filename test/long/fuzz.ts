import { StreamFuzzer } from '../property/fuzz-streams.ts';
import { readStreams } from '../property/recorded-streams.ts';
import type { LongRun } from './long-run.ts';

const SEQUENCES = 1_000_000;

export const runFuzz: LongRun = {
  name: 'fuzz',
  summary: 'a million damaged sequences of events through every pair of formats',
  run({ seed, count = SEQUENCES, report }) {
    const fuzzer = new StreamFuzzer(readStreams());
    for (let at = 0; at < count; at += 1) {
      fuzzer.run(seed + at);
      if (at % 50_000 === 49_999) report(`${(at + 1).toLocaleString('en')} sequences`);
    }
    return `${count.toLocaleString('en')} sequences kept the grammar and threw nothing`;
  },
};
