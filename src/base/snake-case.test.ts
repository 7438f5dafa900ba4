import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeMembers, toSnakeCase } from './snake-case.ts';

test('a name has the same snake case as a text and as a type', () => {
  const audio: 'input_audio' = toSnakeCase('inputAudio');
  const written: 'input_cache_write_5m' = toSnakeCase('inputCacheWrite5m');
  const plain: 'id' = toSnakeCase('id');
  assert.deepEqual([audio, written, plain], ['input_audio', 'input_cache_write_5m', 'id']);
});

test('members are written to JSON in the order of their names, with amounts in USD and null for the absent', () => {
  const record: { modelId: string; cost: bigint; keyIds: readonly string[]; errorCode?: string; at: Date } = {
    modelId: 'm',
    cost: 1_500_000_000_000n,
    keyIds: ['k'],
    at: new Date(0),
  };
  const encoded: { error_code: string | null; cost: string; key_ids: string[]; model_id: string } =
    encodeMembers(record, ['errorCode', 'cost', 'keyIds', 'modelId']);
  assert.equal(JSON.stringify(encoded), '{"error_code":null,"cost":"1.5","key_ids":["k"],"model_id":"m"}');
  // @ts-expect-error -- no such member
  encodeMembers(record, ['modelID']);
  // @ts-expect-error -- not a value of JSON
  encodeMembers(record, ['at']);
});
