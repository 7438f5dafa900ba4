import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeStream, encodeStream } from '../support/exchanges.ts';
import { openCrossing } from './every-format.ts';
import { StreamFuzzer } from './fuzz-streams.ts';
import { readStreams } from './recorded-streams.ts';
import { repetitions } from '../support/repetitions.ts';

const SEED = 20_261_121;
/** The short form of `npm run test:long -- fuzz`. */
const SEQUENCES = repetitions(6000);

test('no sequence of events, however wrong, throws, breaks the grammar or ends a client’s stream otherwise than the provider’s', () => {
  const fuzzer = new StreamFuzzer(readStreams());
  for (let at = 0; at < SEQUENCES; at += 1) fuzzer.run(SEED + at);
});

test('a refusal with a non-text reason ends as a refusal for a Gemini client', () => {
  const { exchange, inbound, context } = openCrossing({ client: 'gemini', provider: 'gemini' });
  const chunks = ['PROHIBITED_CONTENT', -1].map((blockReason) => ({
    data: JSON.stringify({ promptFeedback: { blockReason }, responseId: 'a' }),
  }));
  const frames = encodeStream(inbound, context, decodeStream(exchange, chunks));
  assert.equal(decodeStream(exchange, frames).at(-1)?.type, 'generation-end');
});
