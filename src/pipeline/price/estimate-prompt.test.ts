import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block, CanonicalRequest, MediaBlock, MediaSource, Tool } from '#canonical';
import { createForeignRequest } from '../../../test/support/foreign-request.ts';
import { estimatePrompt } from './estimate-prompt.ts';

const textsOf = (...texts: string[]): Block[] => texts.map((text) => ({ type: 'text', text }));
const estimate = (fields: Partial<CanonicalRequest>): Promise<number> =>
  estimatePrompt(createForeignRequest({ turns: [], ...fields }), undefined);
/** The tokens of instructions. */
const count = (...texts: string[]): Promise<number> => estimate({ system: textsOf(...texts) });
/** The tokens of a turn, without those for the turn itself. */
const countTurn = async (...blocks: Block[]): Promise<number> =>
  (await estimate({ turns: [{ role: 'user', blocks }] })) - 4;

test('a prompt is the tokens of its texts, and four for each turn', async () => {
  assert.equal(await count('x', 'y', 'z'), 3);
  assert.equal(await countTurn(...textsOf('x')), 1);
  const turn: CanonicalRequest['turns'][number] = { role: 'user', blocks: textsOf('x', 'y') };
  assert.equal(await estimate({ system: textsOf('z'), turns: [turn, turn, turn] }), 1 + 3 * 4 + 3 * 2);
});

test('a prompt has at least one token; nothing is added for what is empty', async () => {
  assert.equal(await estimate({}), 1);
  assert.equal(await countTurn(), 0);
  assert.equal(await countTurn(...textsOf('')), 0);
});

test('of a block all counts that a model reads', async () => {
  const value = { type: 'server_tool_use', name: 'advisor', input: { question: 'why' } };
  const call: Block = { type: 'tool-call', id: 'a', name: 'weather', input: { json: '{"city":"Rome"}' } };
  const texts: [Block, string][] = [
    [{ type: 'reasoning', text: 'the sky is blue' }, 'the sky is blue'],
    [call, 'weather {"city":"Rome"}'],
    [
      { type: 'tool-result', callId: 'a', isError: false, blocks: textsOf('sunny, as always') },
      'sunny, as always',
    ],
    [{ type: 'native', format: 'messages', value }, JSON.stringify(value)],
  ];
  for (const [block, text] of texts) assert.equal(await countTurn(block), await count(text), block.type);
});

test('a tool counts as it is described', async () => {
  const common = { name: 'weather', description: 'Tells the weather of a city.' };
  const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
  const format = { type: 'grammar', syntax: 'regex', definition: '[a-z]+' };
  const value = { type: 'web_search_20250305', name: 'web_search' };
  const tools: [Tool, object][] = [
    [
      { type: 'function', ...common, inputSchema },
      { ...common, inputSchema },
    ],
    [
      { type: 'custom', ...common, format },
      { ...common, format },
    ],
    [{ type: 'native', format: 'messages', value }, value],
  ];
  for (const [tool, described] of tools)
    assert.equal(await estimate({ tools: [tool] }), await count(JSON.stringify(described)), tool.type);
});

test('an image is 1,500 tokens, and so is a document elsewhere; of a document within, a token is 16 characters', async () => {
  const show = (kind: MediaBlock['kind'], source: MediaSource): Promise<number> =>
    countTurn({ type: 'media', kind, source });
  const address = { url: 'https://example.com/a' };
  assert.equal(await show('image', { base64: 'x'.repeat(160) }), 1_500);
  assert.equal(await show('image', address), 1_500);
  assert.equal(await show('document', address), 1_500);
  assert.equal(await show('document', { base64: 'x'.repeat(160) }), 10);
  assert.equal(await show('document', { base64: 'x'.repeat(161) }), 11);
  assert.equal(await show('document', { text: 'x' }), 1);
  const blocks: Block[] = [...textsOf('x'), { type: 'media', kind: 'image', source: address }];
  assert.equal(await show('document', { blocks }), 1_501);
});

test('a text is counted in slices of 500 characters', async () => {
  const text = 'counting '.repeat(200).slice(0, 1_100);
  const slices = [text.slice(0, 500), text.slice(500, 1_000), text.slice(1_000)];
  assert.equal(await count(text), await count(...slices));
  assert.notEqual(await count(text), await count(text.slice(0, 499), text.slice(499, 998), text.slice(998)));
});

test('a text beyond 400,000 characters is taken to be like what precedes it', async () => {
  const [begin, rest] = ['counting '.repeat(56).slice(0, 500), 'x1;'.repeat(167).slice(0, 500)];
  const [tokens, others] = [await count(begin), await count(rest)];
  assert.ok(others > 2 * tokens);
  assert.equal(await count(begin.repeat(800), rest.repeat(200)), tokens * 1_000);
  assert.equal(await count(begin.repeat(799), rest), tokens * 799 + others);
});
