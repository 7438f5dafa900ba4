import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSnakeCase } from './snake-case.ts';

test('a name has the same snake case as a text and as a type', () => {
  const audio: 'input_audio' = toSnakeCase('inputAudio');
  const written: 'input_cache_write_5m' = toSnakeCase('inputCacheWrite5m');
  const plain: 'id' = toSnakeCase('id');
  assert.deepEqual([audio, written, plain], ['input_audio', 'input_cache_write_5m', 'id']);
});
