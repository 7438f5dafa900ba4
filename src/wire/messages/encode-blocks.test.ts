import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '#canonical';
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
