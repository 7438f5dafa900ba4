import { test } from 'node:test';
import { StreamFuzzer } from './fuzz-streams.ts';
import { readStreams } from './recorded-streams.ts';

const SEED = 20_261_121;
/** The short form of `npm run test:long -- fuzz`. */
const SEQUENCES = 6000;

test('no sequence of events, however wrong, throws, breaks the grammar or ends a client’s stream otherwise than the provider’s', () => {
  const fuzzer = new StreamFuzzer(readStreams());
  for (let at = 0; at < SEQUENCES; at += 1) fuzzer.run(SEED + at);
});
