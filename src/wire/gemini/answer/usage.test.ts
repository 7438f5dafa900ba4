import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { createUsage } from '#canonical';
import { decodeUsage, encodeUsage, findUsageLeftovers } from './usage.ts';

/** What no format names. */
const LEFT: JsonObject = { trafficType: 'ON_DEMAND' };
const audio = (tokenCount: number) => ({ modality: 'AUDIO', tokenCount });
const image = (tokenCount: number) => ({ modality: 'IMAGE', tokenCount });

test('every token is counted in one part: cached ones within the prompt, thoughts and the input of tools beside it', () => {
  const usage = decodeUsage({
    promptTokenCount: 100,
    cachedContentTokenCount: 40,
    candidatesTokenCount: 30,
    thoughtsTokenCount: 5,
    toolUsePromptTokenCount: 7,
    totalTokenCount: 142,
    promptTokensDetails: [audio(15), { modality: 'TEXT', tokenCount: 80 }, audio(5)],
    cacheTokensDetails: [audio(8)],
    candidatesTokensDetails: [audio(4), image(6)],
  });
  assert.deepEqual(
    usage,
    createUsage({
      inputUncached: 55,
      inputCacheRead: 40,
      inputAudio: 12,
      outputText: 20,
      outputReasoning: 5,
      outputAudio: 4,
      outputImage: 6,
    }),
  );
});

test('an answer without a count of its own is what the total has beyond the rest', () => {
  const textOf = (counts: Parameters<typeof decodeUsage>[0]) => decodeUsage(counts)?.outputText;
  const rest = { thoughtsTokenCount: 5, toolUsePromptTokenCount: 3 };
  assert.equal(textOf({ promptTokenCount: 10, totalTokenCount: 30, ...rest }), 12);
  assert.equal(textOf({ promptTokenCount: 10, totalTokenCount: 5 }), 0);
  assert.equal(textOf({ promptTokenCount: 10 }), 0);
  assert.equal(textOf({ totalTokenCount: 30 }), 30);
  assert.equal(textOf({ promptTokenCount: 10, candidatesTokenCount: 7, totalTokenCount: 30 }), 7);
});

test('a part that is larger than its whole is cut to it', () => {
  assert.deepEqual(
    decodeUsage({
      promptTokenCount: 10,
      cachedContentTokenCount: 8,
      candidatesTokenCount: 10,
      promptTokensDetails: [audio(10)],
      candidatesTokensDetails: [audio(8), image(8)],
    }),
    createUsage({ inputCacheRead: 8, inputAudio: 2, outputAudio: 8, outputImage: 2 }),
  );
  assert.deepEqual(
    decodeUsage({ promptTokenCount: 4, cachedContentTokenCount: 9, cacheTokensDetails: [audio(9)] }),
    createUsage({ inputCacheRead: 4 }),
  );
});

test('without counts, or with one that cannot be, there is no usage', () => {
  assert.equal(decodeUsage({}), undefined);
  assert.equal(decodeUsage({ candidatesTokenCount: 7 }), undefined);
  assert.equal(decodeUsage({ promptTokenCount: 10, candidatesTokenCount: -1 }), undefined);
});

test('members that are no counts are kept', () => {
  assert.deepEqual(findUsageLeftovers({ promptTokenCount: 1, ...LEFT }), LEFT);
  assert.equal(findUsageLeftovers({ promptTokenCount: 1 }), undefined);
});

test('counts are written as Gemini has them, and only those that are not zero in detail', () => {
  const plain = encodeUsage(createUsage({ inputUncached: 5, outputText: 7 }));
  assert.deepEqual(plain, {
    promptTokenCount: 5,
    candidatesTokenCount: 7,
    totalTokenCount: 12,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 5 }],
  });
  const usage = createUsage({
    inputUncached: 5,
    inputCacheRead: 1,
    inputAudio: 1,
    outputText: 7,
    outputReasoning: 1,
    outputAudio: 1,
    outputImage: 1,
  });
  assert.deepEqual(encodeUsage(usage, LEFT), {
    ...LEFT,
    promptTokenCount: 7,
    candidatesTokenCount: 9,
    totalTokenCount: 17,
    cachedContentTokenCount: 1,
    thoughtsTokenCount: 1,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 6 }, audio(1)],
    candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: 7 }, audio(1), image(1)],
  });
});
