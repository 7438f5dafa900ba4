import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { FormatId } from '#canonical';
import { listCreatedObjects } from './created-objects.ts';

const END = { type: 'generation-end', finish: { reason: 'stop' } } as const;

const ofContainer = (container: JsonObject) =>
  listCreatedObjects({ ...END, extra: { messages: { container } } });

const ofBlock = (format: FormatId, value: JsonObject) =>
  listCreatedObjects({ type: 'block-start', index: 0, block: { type: 'native', format, value } });

test('a container and an audio answer expire at the time that the provider reports, in seconds or as text', () => {
  assert.deepEqual(ofContainer({ id: 'c', expires_at: '2026-11-23T00:00:01Z' }), [
    { id: 'c', expiresAt: Date.UTC(2026, 10, 23, 0, 0, 1) },
  ]);
  assert.deepEqual(ofContainer({ id: 'c', expires_at: 1_700_000_000 }), [
    { id: 'c', expiresAt: 1_700_000_000_000 },
  ]);
  for (const end of [undefined, null, true, 'soon'])
    assert.deepEqual(ofContainer({ id: 'c', ...(end !== undefined && { expires_at: end }) }), [{ id: 'c' }]);
  const audio = { id: 'a', expires_at: 2 };
  assert.deepEqual(listCreatedObjects({ ...END, extra: { chat: { message: { audio } } } }), [
    { id: 'a', expiresAt: 2_000 },
  ]);
});

test('an object without an id is ignored', () => {
  assert.deepEqual(ofContainer({ expires_at: 1 }), []);
  assert.deepEqual(ofContainer({ id: '' }), []);
  assert.deepEqual(ofContainer({ id: 7 }), []);
  assert.deepEqual(listCreatedObjects(END), []);
});

test('uploads, files of code runs and their containers are found in the blocks of the format that has them', () => {
  const outputs = { content: [{ file_id: 'f1' }, 7, { file_id: 'f2' }] };
  assert.deepEqual(ofBlock('messages', { type: 'container_upload', file_id: 'f' }), [{ id: 'f' }]);
  for (const type of ['code_execution_tool_result', 'bash_code_execution_tool_result'])
    assert.deepEqual(ofBlock('messages', { type, content: outputs }), [{ id: 'f1' }, { id: 'f2' }]);
  assert.deepEqual(ofBlock('messages', { type: 'web_search_tool_result', content: outputs }), []);
  assert.deepEqual(ofBlock('responses', { type: 'code_interpreter_call', container_id: 'c' }), [{ id: 'c' }]);
  const environment = { container_id: 'c' };
  assert.deepEqual(ofBlock('responses', { type: 'shell_call', environment }), [{ id: 'c' }]);
  assert.deepEqual(ofBlock('responses', { type: 'mcp_call', environment }), []);
  for (const format of ['chat', 'gemini', 'converse'] as const)
    assert.deepEqual(ofBlock(format, { type: 'container_upload', file_id: 'f', container_id: 'c' }), []);
});

test('a citation names the files that code created, and no others', () => {
  const cite = (type: string): readonly unknown[] =>
    listCreatedObjects({
      type: 'block-annotation',
      index: 0,
      annotation: { format: 'responses', value: { type, container_id: 'c', file_id: 'f' } },
    });
  assert.deepEqual(cite('container_file_citation'), [{ id: 'c' }, { id: 'f' }]);
  assert.deepEqual(cite('file_path'), [{ id: 'c' }, { id: 'f' }]);
  assert.deepEqual(cite('file_citation'), []);
});
