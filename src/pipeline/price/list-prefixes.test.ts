import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block, CanonicalRequest } from '#canonical';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import { listPrefixes } from './list-prefixes.ts';

const say = (...texts: string[]): CanonicalRequest['turns'][number] => ({
  role: 'user',
  blocks: texts.map((text) => ({ type: 'text', text })),
});
const hashOf = (fields: Partial<CanonicalRequest>): number | undefined =>
  listPrefixes(createForeignRequest(fields)).at(-1)?.hash;

test('a prompt has a prefix for each of its last 64 turns, and those of one that it continues', () => {
  const turns = Array.from({ length: 66 }, (_, at) => say(`é${at}`));
  const list = (some: typeof turns) => listPrefixes(createForeignRequest({ turns: some }));
  const [before, after] = [list(turns.slice(0, 65)), list(turns)];
  assert.deepEqual([before.length, before[0]?.turns, before.at(-1)?.turns], [64, 2, 65]);
  assert.equal(before[0]?.bytes, 6);
  assert.deepEqual(after.slice(0, -1), before.slice(1));
});

test('long text is distinguished from other text of the same length, wherever they differ', () => {
  const say200 = (from: number, to: number): string =>
    'x'.repeat(from) + '7'.repeat(to - from) + 'x'.repeat(200_000 - to);
  const texts = [say200(0, 0), say200(1, 1_000), say200(100_000, 101_000), say200(199_000, 200_000)];
  const hashes = texts.map((text) => hashOf({ turns: [say(text)] }));
  assert.equal(new Set(hashes).size, texts.length);
});

test('every text of a prompt counts, and the instruction that Claude Code changes does not', () => {
  const source = { text: 'x' };
  const results: Block[] = [{ type: 'text', text: 'y' }];
  const value = { type: 'item', text: 'z' };
  const blocks: Block[] = [
    { type: 'text', text: 'a' },
    { type: 'reasoning', text: 'b' },
    { type: 'reasoning', text: '', redacted: 'c' },
    { type: 'tool-call', id: '', name: 'd', input: { json: '{}' } },
    { type: 'tool-result', callId: '', blocks: results, isError: false },
    { type: 'media', kind: 'document', source },
    { type: 'media', kind: 'document', source: { blocks: results } },
    { type: 'native', format: 'responses', value },
  ];
  const variants: Partial<CanonicalRequest>[] = [
    ...blocks.map((block) => ({ turns: [{ role: 'user' as const, blocks: [block] }] })),
    { system: [{ type: 'text', text: 'e' }] },
    { tools: [{ type: 'function', name: 'f' }] },
    { tools: [{ type: 'function', name: 'f', description: 'g' }] },
    { tools: [{ type: 'function', name: 'f', inputSchema: { type: 'object' } }] },
    { tools: [{ type: 'native', format: 'messages', value }] },
    { output: { type: 'json-schema', name: 'h', schema: {} } },
    { turns: [say('ab', 'c')] },
    { turns: [say('a', 'bc')] },
    {},
  ];
  // A text in a document of blocks is that text in a result.
  assert.equal(new Set(variants.map(hashOf)).size, variants.length - 1);
  const system: Block[] = [{ type: 'text', text: 'x-anthropic-billing-header: cch=1' }];
  assert.equal(hashOf({ system }), hashOf({}));
});

test('images are no text, within an item either', () => {
  const picture = `data:image/png;base64,${'A'.repeat(9_000)}`;
  const native: Block = { type: 'native', format: 'responses', value: { url: picture }, pictures: [picture] };
  const image: Block = { type: 'media', kind: 'image', source: { base64: 'A'.repeat(9_000) } };
  const turns: CanonicalRequest['turns'] = [{ role: 'user', blocks: [native, image] }];
  assert.equal(listPrefixes(createForeignRequest({ turns })).at(-1)?.bytes, '{"url":""}'.length);
});
