import type { InputField } from '#fields';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESOURCES } from '#app';
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
  const limit = getField('member', 'create', 'limit');
  assert.equal(await type(limit, '--limit', 'none'), null);
  assert.equal(await type(limit, '--limit', '5'), 5_000_000_000_000n);
  assert.equal(await type(limit), undefined);
  assert.equal(await type(getField('key', 'update', 'limit'), 'none'), null);
  assert.equal(await type(getField('key', 'update', 'expiresAt'), 'none'), null);
  assert.equal(await type(getField('project', 'update', 'cacheTtlSeconds'), '--ttl', 'off'), null);
  assert.equal(await type(getField('project', 'update', 'cacheTtlSeconds'), '--ttl', '60'), 60);
});

test('an amount per period is refused as a total, with what takes it', async () => {
  const typeIn = (group: string, words: string[]): unknown => {
    const command = new Command(group).exitOverride();
    const limit = command.command('limit').exitOverride();
    addInput(limit, getField(group.slice(0, -1), 'update', 'limit'));
    return command.parse(['limit', ...words], { from: 'user' });
  };
  for (const group of ['keys', 'members', 'projects'])
    assert.throws(
      () => typeIn(group, ['5/day']),
      (error: Error) => error.message.endsWith(`write: npx sluice ${group} recurring ID 5/day`),
    );
  for (const resource of ['key', 'member', 'project'])
    await assert.rejects(
      type(getField(resource, 'create', 'limit'), '--limit', '5/day'),
      /write: --recurring 5\/day$/,
    );
});

test('the former name of an option names the present one', async () => {
  for (const field of [getField('member', 'create', 'limit'), getField('session_token', 'create', 'limit')])
    await assert.rejects(
      type(field, '--budget', '5'),
      /'--budget <value>' argument '5' is invalid\. It is --limit now/,
    );
});
