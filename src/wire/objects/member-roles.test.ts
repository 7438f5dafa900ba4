import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Role, findRole, isIdList, mayRefer } from './member-roles.ts';

type Case = readonly [name: string, holder: string, role: Role | undefined];

const MEMBERS: readonly Case[] = [
  ['model', 'tools', 'model'],
  ['fileUri', 'fileData', 'file'],
  ['skill_id', 'skills', 'skill'],
  ['id', 'container', 'object'],
  ['id', 'audio', 'object'],
  ['id', 'input', undefined],
  ['url', 'source', 'address'],
  ['url', 'image_url', 'address'],
  ['url', 'annotations', undefined],
  ['previous_message_id', 'diagnostics', 'spare'],
  ['previous_message_id', 'thread', 'conversation'],
  ['file_id', 'source', 'object'],
  ['input_file_id', 'source', 'object'],
  ['fileId', 'source', 'object'],
  ['tool_use_id', 'content', undefined],
  ['id_file', 'content', undefined],
];

for (const [name, holder, role] of MEMBERS)
  test(`${name} in ${holder} refers to ${role ?? 'nothing'}`, () => {
    assert.equal(findRole(name, holder), role);
    for (const time of ['first', 'second'])
      if (role) assert.equal(mayRefer(name), true, `the ${time} time it is asked`);
  });

test('members that cannot refer to anything are recognized by name alone, every time', () => {
  const long = 'x'.repeat(65);
  for (const name of ['text', 'text', 'tool_use_id', 'tool_use_id', long, long, `${long}_file_id`])
    assert.equal(mayRefer(name), name.endsWith('file_id'), name);
});

test('lists of ids and of names are recognized by their names', () => {
  const lists = ['file_ids', 'vector_store_ids', 'fileIds', 'skill_ids', 'fileSearchStoreNames'];
  for (const name of lists) assert.equal(isIdList(name), true, name);
  for (const name of ['tool_ids', 'names', 'file_id', 'stop']) assert.equal(isIdList(name), false, name);
});
