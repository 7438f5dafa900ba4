import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import { createUsage } from '#canonical';
import { PromptMeasures } from './prompt-measures.ts';
import type { PromptSize } from '../prompt-size.ts';

const MINUTE_MS = 60_000;

function createMapping(providerId: string, cacheMarks = 'none'): Mapping {
  const price = { parts: { inputUncached: 10n, inputCacheRead: 1n } };
  return { providerId, externalId: 'm', dialect: { cacheMarks }, price } as unknown as Mapping;
}

function createPrompt(textBytes: number, conversation = 'talk'): PromptSize {
  return {
    bound: textBytes,
    textBytes,
    images: 0,
    recordingTokens: 0,
    hasDocuments: false,
    estimate: 0,
    parts: [],
    conversation,
  };
}

function start() {
  const clock = { ms: 0, monotonicMs: () => clock.ms };
  const measures = new PromptMeasures(clock);
  const find = (prompt = createPrompt(8_000), holder = 'key'): string => {
    const session = measures.findSession(prompt, holder);
    if (!session) return 'none';
    const { home, promptTokens, cachedTokens, outputTokens } = session;
    return [home.providerId, promptTokens, cachedTokens, outputTokens].join(' ');
  };
  return { clock, measures, find };
}

const ONE = createMapping('one', 'cache_control');
const TWO = createMapping('two');
const WRITTEN = createUsage({ inputUncached: 500, inputCacheWrite5m: 1_500, outputText: 70 });

test('a conversation’s cache is where its last prompt was answered, for its key alone and until it expires', () => {
  const { clock, measures, find } = start();
  assert.equal(find(), 'none');
  measures.learn(createPrompt(8_000), { mapping: ONE, holder: 'key' }, WRITTEN);
  assert.equal(find(), 'one 2000 1500 70');
  assert.equal(find(createPrompt(16_000)), 'one 4000 1500 70', 'a longer prompt has more tokens');
  assert.equal(find(createPrompt(4_000)), 'one 1000 1000 70', 'a shorter one has no more cached than it has');
  assert.equal(find(createPrompt(8_000), 'other key'), 'none');
  assert.equal(find(createPrompt(8_000, 'other talk')), 'none');
  clock.ms = 5 * MINUTE_MS;
  assert.equal(find(), 'none');
  const long = createUsage({ inputUncached: 500, inputCacheWrite1h: 1_500, outputText: 70 });
  measures.learn(createPrompt(8_000), { mapping: ONE, holder: 'key' }, long);
  clock.ms += 50 * MINUTE_MS;
  assert.equal(find(), 'one 2000 1500 70');
});

test('documents are bounded by what a provider counted, never by their bytes: compressed pages take few', () => {
  const { measures } = start();
  const recipient = { mapping: ONE, holder: 'key' };
  const tokensOf = (prompt: PromptSize): number => measures.measure(prompt, recipient).tokens;
  const prompt = { ...createPrompt(8_000), images: 1, hasDocuments: true };
  assert.equal(tokensOf(prompt), Infinity);
  measures.count(prompt, recipient, 50_000);
  assert.equal(tokensOf(prompt), 51_064, 'the count with its margin, and what a turn may add');
  assert.equal(tokensOf({ ...prompt, textBytes: 8_100 }), 51_114, 'the next turn adds its text');
  assert.equal(tokensOf({ ...prompt, textBytes: 7_999 }), Infinity, 'a shorter prompt is another one');
  measures.learn(prompt, recipient, createUsage({ inputUncached: 40_000 }));
  assert.equal(tokensOf(prompt), 40_064);
});

test('a count says nothing of a prompt with other images or recordings, and of one with more only of the first', () => {
  const { measures } = start();
  const recipient = { mapping: ONE, holder: 'key' };
  const show = (...shown: string[]): PromptSize => ({
    ...createPrompt(8_000),
    bound: 90_000,
    images: shown.length,
    recordingTokens: 1_000 * shown.length,
    shown,
  });
  const measure = (prompt: PromptSize) => {
    const { tokens, images } = measures.measure(prompt, recipient);
    return [tokens, images];
  };
  assert.deepEqual(measure(show('a')), [5_000, 1]);
  measures.learn(show('a'), recipient, createUsage({ inputUncached: 300 }));
  assert.deepEqual(measure(show('a')), [364, 0]);
  assert.deepEqual(measure(show('a', 'b')), [1_364, 1]);
  assert.deepEqual(measure(show('b')), [5_000, 1]);
  assert.deepEqual(measure(show('b', 'a')), [6_000, 2]);
  assert.deepEqual(measure({ ...show('a'), recordingTokens: 999 }), [4_999, 1]);
  measures.count(show('a', 'b'), recipient, 500);
  const counted = [show('a', 'b'), show('a', 'c'), show('a')].map((prompt) =>
    measures.isCounted(prompt, recipient),
  );
  assert.deepEqual(counted, [true, false, false]);
});

test('a count says nothing of other text, and of a prompt whose last turn is another only what precedes that', () => {
  const { measures } = start();
  const recipient = { mapping: ONE, holder: 'key' };
  const write = (textBytes: number, ...texts: [letter: string, bytes: number][]): PromptSize => ({
    ...createPrompt(textBytes),
    bound: 90_000,
    prefixes: texts.map(([letter, bytes], at) => ({ turns: at + 1, bytes, hash: letter.charCodeAt(0) })),
  });
  const measure = (prompt: PromptSize) => {
    const { tokens, cached } = measures.measure(prompt, recipient);
    return [tokens, cached];
  };
  const usage = createUsage({ inputUncached: 100, inputCacheRead: 1_900 });
  measures.learn(write(8_000, ['a', 5_000], ['b', 7_500]), recipient, usage);
  assert.deepEqual(measure(write(8_000, ['a', 5_000], ['b', 7_500])), [2_064, 1_900]);
  assert.deepEqual(measure(write(8_500, ['a', 5_000], ['b', 7_500], ['c', 7_900])), [2_314, 1_900]);
  assert.deepEqual(measure(write(8_500, ['a', 5_000], ['d', 8_000])), [2_064 + 1_500, 0]);
  assert.deepEqual(measure(write(8_000, ['e', 5_000], ['f', 7_500])), [4_000, 0]);
  measures.learn(write(8_000, ['a', 6_500], ['b', 7_500]), recipient, usage);
  assert.deepEqual(measure(write(8_000, ['a', 6_500], ['d', 7_400])), [2_064 + 500, 900]);
  assert.deepEqual(
    measure(write(8_000, ['a', 6_500], ['b', 7_500], ['c', 8_000])),
    [2_314, 1_900],
    'what was around the text is no room for more of it',
  );
  measures.count(write(8_000, ['a', 5_000]), recipient, 500);
  const counted = ['a', 'b'].map((hash) => measures.isCounted(write(8_000, [hash, 5_000]), recipient));
  assert.deepEqual(counted, [true, false]);
});

test('text is not learnt from where there are recordings', () => {
  const { measures } = start();
  const recipient = { mapping: ONE, holder: 'key' };
  for (let times = 0; times < 8; times += 1)
    measures.learn(
      { ...createPrompt(8_000), recordingTokens: 1 },
      recipient,
      createUsage({ inputUncached: 7_900 }),
    );
  assert.equal(measures.measure(createPrompt(8_000, 'other'), recipient).tokens, 4_000);
});

test('a conversation that another mapping has answered is at home there', () => {
  const { measures, find } = start();
  measures.learn(createPrompt(8_000), { mapping: ONE, holder: 'key' }, WRITTEN);
  measures.learn(createPrompt(8_000), { mapping: { ...ONE, providerId: 'two' }, holder: 'key' }, WRITTEN);
  assert.equal(find(), 'two 2000 1500 70');
  const uncached = createUsage({ inputUncached: 2_000 });
  measures.learn(createPrompt(8_000), { mapping: ONE, holder: 'key' }, uncached);
  assert.equal(find(), 'none');
});

test('of a provider that caches by itself, the first prompt counts as cached until it reports what it read', () => {
  const { measures, find } = start();
  const first = createUsage({ inputUncached: 2_000, outputText: 70 });
  measures.learn(createPrompt(8_000), { mapping: TWO, holder: 'key' }, first);
  assert.equal(find(), 'two 2000 2000 70');
  const second = createUsage({ inputUncached: 200, inputCacheRead: 1_900, outputText: 70 });
  measures.learn(createPrompt(8_400), { mapping: TWO, holder: 'key' }, second);
  assert.equal(find(createPrompt(8_400)), 'two 2100 1900 70');
  measures.learn(createPrompt(8_400), { mapping: TWO, holder: 'key' }, createUsage({ inputUncached: 2_100 }));
  assert.equal(find(createPrompt(8_400)), 'none', 'it read nothing');
});

test('a prompt counts as cached only at the account that has it', () => {
  const { measures } = start();
  const at = (account?: string) => ({ mapping: ONE, holder: 'key', account });
  measures.learn(createPrompt(8_000), at('two'), WRITTEN);
  const cachedAt = (account?: string) => measures.measure(createPrompt(8_400), at(account)).cached;
  assert.deepEqual([cachedAt('two'), cachedAt('one'), cachedAt()], [1_500, 0, 0]);
  const { tokens } = measures.measure(createPrompt(8_400), at('one'));
  assert.equal(tokens, measures.measure(createPrompt(8_400), at('two')).tokens, 'all count alike');
  measures.learn(createPrompt(8_400), at(), WRITTEN);
  assert.deepEqual([cachedAt('two'), cachedAt('one'), cachedAt()], [0, 0, 1_500]);
});

test('a count before the request replaces the bound, keeps what is cached, and gives way to the usage', () => {
  const { measures } = start();
  const at = { mapping: ONE, holder: 'key' };
  const tokensOf = (prompt = createPrompt(8_000)) => measures.measure(prompt, at).tokens;
  assert.equal(tokensOf(), 4_000);
  assert.equal(measures.isCounted(createPrompt(8_000), at), false);
  measures.count(createPrompt(8_000), at, 1_000);
  assert.equal(tokensOf(), 1_020 + 64);
  assert.equal(measures.isCounted(createPrompt(8_000), at), true);
  assert.equal(measures.isCounted(createPrompt(8_001), at), false);
  measures.learn(createPrompt(8_000), at, WRITTEN);
  assert.equal(tokensOf(), 2_000 + 64);
  measures.count(createPrompt(9_000), at, 2_200);
  assert.deepEqual(measures.measure(createPrompt(9_000), at), {
    tokens: 2_244 + 64,
    images: 0,
    cached: 1_500,
  });
});
