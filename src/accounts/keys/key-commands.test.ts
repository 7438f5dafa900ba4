import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyCommands } from './key-commands.ts';
import type { KeyRecord } from './read-key-records.ts';

const KEY = { id: 'key_1', limit: 25n * 10n ** 12n } as KeyRecord;
const recurringLimit: KeyRecord['recurringLimit'] = { amount: 5n * 10n ** 12n, period: 'day' };

/** What a command says of a key. */
const say = (command: string, key: Partial<KeyRecord>) =>
  keyCommands.commands
    .find(({ name }) => name === command)
    ?.format?.({ ...KEY, secret: '', disabledKeyIds: [], ...key });

test('`keys limit` and `keys recurring` say what each of both limits is', () => {
  assert.deepEqual(say('limit', { recurringLimit }), ['key_1 may spend 25 USD in total']);
  assert.deepEqual(say('limit', { limit: null, recurringLimit }), ['key_1 has no total limit']);
  assert.deepEqual(say('recurring', { recurringLimit }), ['key_1 may spend 5 USD per day']);
  assert.deepEqual(say('recurring', { recurringLimit: null }), ['key_1 has no recurring limit']);
});
