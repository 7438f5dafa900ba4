import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../../test/support/test-clock.ts';
import { LeaseMessages } from './lease-messages.ts';
import type { LedgerStore } from './ledger-store.ts';

const SUBJECT = { keyId: 'k', organizationId: 'o' };

function open(isBehind: (since?: string) => string | undefined = () => undefined) {
  const clock = new TestClock();
  const sent: string[] = [];
  const store = {
    notify: async (text: string) => void sent.push(text),
    isBehind: async (_: unknown, since?: string) => isBehind(since),
  };
  const messages = new LeaseMessages({
    store: store as unknown as LedgerStore,
    clock,
    onFault: assert.ifError,
  });
  return { clock, sent, messages };
}

test('the money of a subject is asked back at most twice a second', () => {
  const { clock, sent, messages } = open();
  messages.recall('key a');
  messages.recall('key a');
  messages.recall('key b');
  clock.advance(499);
  messages.recall('key a');
  assert.deepEqual(sent, ['return key a', 'return key b']);
  clock.advance(1);
  messages.recall('key a');
  assert.deepEqual(sent.slice(2), ['return key a']);
});

test('only the last 10,000 requests for money are remembered', () => {
  const { sent, messages } = open();
  for (let number = 0; number < 10_000; number += 1) messages.recall(`key ${number}`);
  messages.recall('key 0');
  assert.equal(sent.length, 10_000);
  messages.recall('key 10000');
  messages.recall('key 0');
  assert.equal(sent.length, 10_002);
});

test('figures wait until all others have reported, and ask no process if nothing is missing', async () => {
  const current = open();
  assert.equal(await current.messages.catchUp(SUBJECT), true);
  assert.deepEqual(current.sent, []);
  const asked: (string | undefined)[] = [];
  const behind = open((since) => {
    asked.push(since);
    return asked.length < 3 ? 'since' : undefined;
  });
  assert.equal(await behind.messages.catchUp(SUBJECT), true);
  assert.deepEqual(behind.sent, ['report']);
  assert.deepEqual(asked, [undefined, 'since', 'since']);
});

test('figures wait for others a second at most, and are then incomplete', async () => {
  let polls = 0;
  const { clock, messages } = open(() => {
    if ((polls += 1) > 1) clock.advance(500);
    return 'since';
  });
  assert.equal(await messages.catchUp(SUBJECT), false);
  assert.equal(polls, 3);
});
