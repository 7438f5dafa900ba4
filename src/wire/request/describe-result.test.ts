import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '#canonical';
import { describeNative, describeOrphan } from './describe-result.ts';

test('a result without its call becomes text, line by line, with its media by their kind', () => {
  const blocks: Block[] = [
    { type: 'text', text: 'one' },
    { type: 'media', kind: 'image', source: { base64: 'AAAA' } },
    { type: 'text', text: '' },
    { type: 'native', format: 'messages', value: { type: 'search_result' } },
    { type: 'text', text: 'two' },
  ];
  const result = { type: 'tool-result', callId: 'a', blocks, isError: false } as const;
  assert.equal(describeOrphan(result), 'Result of an earlier tool call (a): one\n[image]\ntwo');
  assert.equal(
    describeOrphan({ ...result, blocks: [], isError: true }),
    'Result of an earlier tool call (a): Error: ',
  );
});

test('a reference to a tool becomes its name', () => {
  const describe = (value: object) =>
    describeNative({ type: 'native', format: 'messages', value: { ...value } });
  assert.equal(describe({ tool_name: 'f' }), 'Tool available: f');
  assert.equal(describe({ tool_name: 5 }), '');
});
