import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';
import { decodeAs } from '../../../test/support/decode-as.ts';

const ask = (content: JsonObject) => ({ messages: [{ role: 'user', content: [content] }] });
const said = (part: JsonObject) => ({ input: [{ role: 'user', content: [part] }] });
const file = (fileUri: string) => ({ contents: [{ role: 'user', parts: [{ fileData: { fileUri } }] }] });

test('a reference shows whether it is an address that any provider may read, or can be left out', () => {
  const flagsOf = (format: ClientFormatId, fields: JsonObject) =>
    decodeAs(format, fields).accountObjects?.map(({ name, isAddress, isSpare }) => [
      name,
      isAddress,
      isSpare,
    ]);
  assert.deepEqual(flagsOf('gemini', file('gs://b/a')), [['gs://b/a', true, undefined]]);
  assert.deepEqual(flagsOf('gemini', file('files/abc')), [['files/abc', true, undefined]]);
  assert.deepEqual(flagsOf('messages', ask({ type: 'document', source: { type: 'url', url: 'gs://b/a' } })), [
    ['gs://b/a', true, undefined],
  ]);
  assert.deepEqual(flagsOf('responses', said({ type: 'input_file', file_id: 'f1' })), [
    ['f1', undefined, undefined],
  ]);
  assert.deepEqual(flagsOf('messages', { diagnostics: { previous_message_id: 'msg_1' } }), [
    ['msg_1', undefined, true],
  ]);
});

test('what is named again is listed once, at its first place', () => {
  const twice = { content: [{ type: 'input_file', file_id: 'f1' }] };
  const { accountObjects } = decodeAs('responses', {
    input: [
      { role: 'user', ...twice },
      { role: 'user', ...twice },
    ],
  });
  assert.deepEqual(accountObjects, [{ name: 'f1', path: 'input[0].content[0].file_id' }]);
  const { otherModels } = decodeAs('messages', { fallbacks: ['a', { model: 'a' }, 'b'] });
  assert.deepEqual(otherModels, [
    { name: 'a', path: 'fallbacks.0' },
    { name: 'b', path: 'fallbacks.2' },
  ]);
});

test('of unknown tools the first sixteen are named, each at its own place', () => {
  const tools = Array.from({ length: 17 }, (_, at) => ({ [`oracle${at}`]: {}, [`seer${at}`]: {} }));
  const { unknownTools } = decodeAs('gemini', { tools });
  assert.equal(unknownTools?.length, 16);
  assert.deepEqual(unknownTools.slice(0, 3), [
    { name: 'oracle0', path: 'tools[0].oracle0' },
    { name: 'seer0', path: 'tools[0].seer0' },
    { name: 'oracle1', path: 'tools[1].oracle1' },
  ]);
});
