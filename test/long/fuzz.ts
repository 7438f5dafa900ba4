import { StreamFuzzer } from '../property/fuzz-streams.ts';
import { readStreams } from '../property/recorded-streams.ts';
import { BodyFuzzer } from '../property/fuzz-bodies.ts';
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

const REQUESTS = 100_000;

export const runFuzzBodies: LongRun = {
  name: 'fuzz-bodies',
  summary:
    'damaged requests of every format with arrays of up to a million, and a fifth as many damaged answers',
  async run({ seed, count = REQUESTS, report }) {
    const fuzzer = new BodyFuzzer();
    const answers = Math.floor(count / 5);
    for (let at = 0; at < count; at += 1) {
      await fuzzer.request(seed + at);
      if (at % 5_000 === 4_999) report(`${(at + 1).toLocaleString('en')} requests`);
    }
    for (let at = 0; at < answers; at += 1) fuzzer.answer(seed + at);
    const { slow, slowest, accepted } = fuzzer;
    const figures = `${count.toLocaleString('en')} requests (${accepted.toLocaleString('en')} accepted) and ${answers.toLocaleString('en')} answers: 0 faults, ${slow} steps beyond 500 ms of processor time, the longest ${slowest.ms.toFixed(0)} ms (${slowest.what})`;
    if (slow > 0) throw new Error(figures);
    return figures;
  },
};
