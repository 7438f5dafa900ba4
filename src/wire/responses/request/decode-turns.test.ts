import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { decodeResponses } from '../../../../test/support/responses-exchange.ts';
import { seal } from '../../seal.ts';

const turnsOf = (...input: JsonObject[]) => decodeResponses({ input }).turns;

test('consecutive items of the model form one turn, and so do the results of its calls', () => {
  const turns = turnsOf(
    { role: 'user', content: 'Weather?' },
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'gAAA',
    },
    { type: 'message', role: 'assistant', id: 'msg_1', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'function_call', call_id: 'c1', name: 'get', arguments: '{"a":1}', id: 'fc_1' },
    { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: '*** Begin' },
    { type: 'function_call_output', call_id: 'c1', output: 'sun' },
    { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'ok' }] },
    { role: 'user', content: 'Thanks.' },
  );
  assert.deepEqual(
    turns.map(({ role, blocks }) => [role, ...blocks.map(({ type }) => type)]),
    [
      ['user', 'text'],
      ['assistant', 'reasoning', 'text', 'tool-call', 'tool-call'],
      ['user', 'tool-result', 'tool-result'],
      ['user', 'text'],
    ],
  );
  const [reasoning, , call, custom] = turns[1]?.blocks ?? [];
  assert.deepEqual(reasoning, {
    type: 'reasoning',
    text: 'hm',
    signature: 'gAAA',
    issuer: 'openai',
    extra: { responses: { id: 'rs_1' } },
  });
  assert.deepEqual(call, {
    type: 'tool-call',
    id: 'c1',
    name: 'get',
    input: { json: '{"a":1}' },
    extra: { responses: { id: 'fc_1' } },
  });
  assert.deepEqual(custom, {
    type: 'tool-call',
    id: 'c2',
    name: 'patch',
    input: { json: '*** Begin' },
    custom: true,
  });
});

test('[D-17] no arguments are an empty object', () => {
  for (const empty of ['', null]) {
    const [turn] = turnsOf({ type: 'function_call', call_id: 'c', name: 'f', arguments: empty });
    assert.deepEqual(turn?.blocks[0], { type: 'tool-call', id: 'c', name: 'f', input: { json: '{}' } });
  }
});

test('[D-45] sealed reasoning is returned to its issuer', () => {
  const read = (encrypted_content: string, text = '') => {
    const summary = text === '' ? [] : [{ type: 'summary_text', text }];
    return turnsOf({ type: 'reasoning', summary, encrypted_content })[0]?.blocks[0];
  };
  assert.deepEqual(read(seal({ secret: 'signed:sig', issuer: 'anthropic' }, 'openai'), 'thought'), {
    type: 'reasoning',
    text: 'thought',
    signature: 'sig',
    issuer: 'anthropic',
  });
  assert.deepEqual(read(seal({ secret: 'redacted:data', issuer: 'anthropic' }, 'openai')), {
    type: 'reasoning',
    text: '',
    redacted: 'data',
    issuer: 'anthropic',
  });
  assert.deepEqual(turnsOf({ role: 'user', content: 'x' }, { type: 'reasoning', summary: [] }).length, 1);
});

test('[D-31] tool results may contain images and files', () => {
  const [turn] = turnsOf({
    type: 'function_call_output',
    call_id: 'c',
    output: [
      { type: 'input_image', image_url: 'data:image/PNG;base64,AAAA', detail: 'high' },
      { type: 'input_file', file_data: 'data:application/pdf;base64,BBBB', filename: 'a.pdf' },
      { type: 'input_file', file_url: 'https://x/y.pdf' },
      { type: 'input_image', file_id: 'file_1', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } },
    ],
  });
  const [result] = turn?.blocks ?? [];
  assert.ok(result?.type === 'tool-result');
  assert.deepEqual(result.blocks, [
    {
      type: 'media',
      kind: 'image',
      mediaType: 'image/png',
      source: { base64: 'AAAA' },
      extra: { responses: { detail: 'high' }, chat: { detail: 'high' } },
    },
    {
      type: 'media',
      kind: 'document',
      mediaType: 'application/pdf',
      source: { base64: 'BBBB' },
      title: 'a.pdf',
    },
    { type: 'media', kind: 'document', source: { url: 'https://x/y.pdf' } },
    {
      type: 'media',
      kind: 'image',
      source: { fileId: 'file_1', format: 'responses' },
      cache: { ttl: '12h' },
    },
  ]);
});

test('items and tools of this format alone are kept unchanged', () => {
  const search = { type: 'tool_search_call', call_id: 'ts', execution: 'client', arguments: { query: 'x' } };
  const output = { type: 'tool_search_output', call_id: 'ts', tools: [] };
  const turns = turnsOf({ role: 'user', content: 'x' }, search, output);
  assert.deepEqual(turns.slice(1), [
    { role: 'assistant', blocks: [{ type: 'native', format: 'responses', value: search }] },
    { role: 'user', blocks: [{ type: 'native', format: 'responses', value: output }] },
  ]);
  const tool = { type: 'web_search', external_web_access: true };
  assert.deepEqual(decodeResponses({ tools: [tool] }).tools, [
    { type: 'native', format: 'responses', value: tool },
  ]);
});

test('what a computer shows is an image, in the body or elsewhere', () => {
  const showing = (output: JsonObject) => {
    const [turn] = turnsOf({ type: 'computer_call_output', call_id: 'c', output });
    const [block] = turn?.blocks ?? [];
    return block?.type === 'native' && block.pictures;
  };
  const type = 'computer_screenshot';
  for (const image_url of ['data:image/png;base64,AAAA', 'https://x/y.png'])
    assert.deepEqual(showing({ type, image_url }), [image_url]);
  assert.deepEqual(showing({ type, file_id: 'file_1' }), ['file_1']);
  assert.equal(showing({ type }), undefined);
});
