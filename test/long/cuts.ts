import { checkCuts, listSubjects } from '../property/cut-streams.ts';
import { readStreams } from '../property/recorded-streams.ts';
import { createSeededRandom } from '../support/seeded-random.ts';
import type { LongRun } from './long-run.ts';

const RESLICES = 2000;

export const runCuts: LongRun = {
  name: 'cuts',
  summary: `every recorded stream, and every client’s view of it, cut at every byte and ${RESLICES} random ways`,
  run({ seed, count = RESLICES, report }) {
    const streams = readStreams();
    let [subjects, cuts] = [0, 0];
    streams.forEach((stream, at) => {
      const random = createSeededRandom(seed + at);
      for (const subject of listSubjects(stream)) {
        cuts += checkCuts(subject, { reslices: count, random });
        subjects += 1;
      }
      report(`${at + 1}/${streams.length} ${stream.id}: ${cuts.toLocaleString('en')} cuts so far`);
    });
    return `${streams.length} streams in ${subjects} forms read the same in ${cuts.toLocaleString('en')} cuts`;
  },
};
