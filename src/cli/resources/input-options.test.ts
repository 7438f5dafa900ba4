import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type InputField, RESOURCES } from '#app';
import { Command } from 'commander';
import { addInput, readInput } from './input-options.ts';

function getField(resource: string, operation: string, member: string): InputField {
  const found = RESOURCES.find(({ name }) => name === resource)?.operations[operation]?.input[member];
  assert.ok(found);
  return found;
}

async function type(field: InputField, ...words: string[]): Promise<unknown> {
  const command = new Command('set').exitOverride();
  addInput(command, field);
  command.parse(words, { from: 'user' });
  return (await readInput(command, { member: field }, [...(command.processedArgs as unknown[])]))['member'];
}

test('an absent limit is typed as `none`, or as the member’s own word', async () => {
  const budget = getField('member', 'create', 'limit');
  assert.equal(await type(budget, '--budget', 'none'), null);
  assert.equal(await type(budget, '--budget', '5'), 5_000_000_000_000n);
  assert.equal(await type(budget), undefined);
  assert.equal(await type(getField('key', 'update', 'limit'), 'none'), null);
  assert.equal(await type(getField('key', 'update', 'expiresAt'), 'none'), null);
  assert.equal(await type(getField('project', 'update', 'cacheTtlSeconds'), '--ttl', 'off'), null);
  assert.equal(await type(getField('project', 'update', 'cacheTtlSeconds'), '--ttl', '60'), 60);
});
