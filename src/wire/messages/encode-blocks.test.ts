import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block, Dialect } from '#canonical';
import { createMessagesTarget } from '../../../test/support/messages-exchange.ts';
import { encodeBlocks } from './encode-blocks.ts';

const file = (mediaType: string, base64: string): Block => ({
  type: 'media',
  kind: 'document',
  mediaType,
  source: { base64 },
});
const encode = (block: Block) => encodeBlocks([block], createMessagesTarget());

test('bytes of a text file are sent as text', () => {
  for (const type of ['text/csv', 'text/plain', 'application/json']) {
    assert.deepEqual(encode(file(type, Buffer.from('naïve,1').toString('base64'))), [
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'naïve,1' } },
    ]);
  }
});

test('bytes of a PDF file go as they are, and those of any other file are refused by their type', () => {
  assert.deepEqual(encode(file('application/pdf', 'JVBERi0=')), [
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
  ]);
  assert.throws(() => encode(file('video/mp4', 'AAAA')), /video\/mp4/);
});

test('an upstream gets the reasoning it signed, and plain reasoning only if its dialect replays it', () => {
  const own = { issuer: 'anthropic' };
  const REASONING: Record<string, Block> = {
    signed: { type: 'reasoning', text: 'a', signature: 's', ...own },
    redacted: { type: 'reasoning', text: '', redacted: 'r', ...own },
    plain: { type: 'reasoning', text: 'b' },
    empty: { type: 'reasoning', text: '' },
    foreign: { type: 'reasoning', text: 'c', signature: 's', issuer: 'openai' },
    'redacted by an unknown issuer': { type: 'reasoning', text: 'd', redacted: 'r' },
  };
  const sentWith = (reasoningReplay: Dialect['reasoningReplay']): string[] =>
    Object.entries(REASONING)
      .filter(([, block]) => encodeBlocks([block], createMessagesTarget({ reasoningReplay })).length > 0)
      .map(([name]) => name);
  assert.deepEqual(sentWith('none'), ['signed', 'redacted']);
  assert.deepEqual(sentWith('reasoning_content'), ['signed', 'redacted', 'plain']);
});
