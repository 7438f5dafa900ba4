import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '../support/seeded-random.ts';
import { NO_RECORDINGS, hasRecordings } from '../support/recordings.ts';
import { checkCuts, listSubjects } from './cut-streams.ts';
import { PROVIDER_FORMATS } from './every-format.ts';
import { readStreams } from './recorded-streams.ts';
import { repetitions } from '../support/repetitions.ts';

const SEED = 20_261_121;
/** The short form cuts long streams in few places; `npm run test:long -- cuts` cuts at every byte. */
const BYTES_PER_SUBJECT = repetitions(60_000);
const streams = readStreams();

test('[D-86] a stream reads the same wherever it is cut and however it is dressed, from every provider and to every client', () => {
  const random = createSeededRandom(SEED);
  for (const subject of streams.flatMap(listSubjects)) {
    const bytes = subject.messages.reduce((sum, { data }) => sum + data.length + 8, 1);
    const affordable = Math.ceil(BYTES_PER_SUBJECT / bytes);
    checkCuts(subject, { singleCuts: affordable, reslices: Math.min(affordable, 60), random });
  }
});

test('every provider format has a recorded stream', { skip: hasRecordings ? false : NO_RECORDINGS }, () => {
  assert.deepEqual([...new Set(streams.map(({ format }) => format))].sort(), [...PROVIDER_FORMATS].sort());
});
