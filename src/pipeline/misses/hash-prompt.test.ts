import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureProcessorMs } from '../../../test/support/processor-time.ts';
import { type HashedPrompt, hashPrompt } from './hash-prompt.ts';

type Prompt = Parameters<typeof hashPrompt>[0];

const hash = (...system: string[]): HashedPrompt =>
  hashPrompt({
    system: system.map((text) => ({ type: 'text', text })),
    turns: [],
    tools: [],
    origin: { format: 'messages', body: {} },
  } as unknown as Prompt);

test('system blocks of nothing but digits are hashed soon, in one or in many', async () => {
  const blocks = Array.from({ length: 100 }, (_, at) => `${at}a`.repeat(80_000 / `${at}a`.length));
  for (const system of [[blocks.join('')], blocks]) {
    const spentMs = await measureProcessorMs(() => hash(...system));
    assert.ok(spentMs < 400, `${system.length} blocks: ${spentMs} ms`);
  }
});

test('a date is found in a block behind a long one', () => {
  const long = 'Be brief. '.repeat(20_000);
  const [before, after] = ['Monday', 'Tuesday'].map((day) => hash(long, `Today is ${day}.`));
  assert.notDeepEqual(before?.chain.system, after?.chain.system);
  assert.deepEqual(before?.undatedSystem, after?.undatedSystem);
});
