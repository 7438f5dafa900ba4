import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { JsonObject } from '#base';
import { createIdentifier } from '#base';
import { openFreshDatabase } from '../../test/support/fresh-database.ts';
import { shareOpened } from '../../test/support/share-opened.ts';
import { TestClock } from '../../test/support/test-clock.ts';
import { until } from '../../test/support/until.ts';
import { type Conversations, createConversations } from './index.ts';

const DAY_MS = 24 * 3_600_000;
const ALICE = { projectId: 'project_alice' };
const BOB = { projectId: 'project_bob' };

let clock: TestClock;
let conversations: Conversations;
const fresh = shareOpened(() => openFreshDatabase());
before(() => {
  clock = new TestClock();
  conversations = createConversations({ database: fresh.database, clock });
});

/** Stores a response that says one thing; gives its id. */
async function say(text: string, previousId?: string): Promise<string> {
  const id = createIdentifier('resp');
  const output = [{ id: `msg_${id}`, type: 'message', text: `re: ${text}` }];
  const input = JSON.stringify([{ role: 'user', content: text }]);
  const response = { id, object: 'response', output, metadata: { nul: '\u0000' } };
  await conversations.save({ id, input, response, ...(previousId !== undefined && { previousId }) }, ALICE);
  return id;
}

const textsOf = (items: unknown) => (items as JsonObject[]).map(({ content, text }) => content ?? text);

test('a stored response is returned unchanged, and only to its own project', async () => {
  const id = await say('hello');
  const found = await conversations.find(id, ALICE);
  assert.deepEqual(found?.['output'], [{ id: `msg_${id}`, type: 'message', text: 're: hello' }]);
  assert.deepEqual(found['metadata'], { nul: '\u0000' });
  assert.equal(await conversations.find(id, BOB), undefined);
  assert.equal(await conversations.recall(id, BOB), undefined);
  assert.equal((await conversations.findItems([`msg_${id}`], BOB)).size, 0);
  assert.equal(await conversations.delete(id, BOB), false);
});

test('a chain is recalled from its beginning, and two may go on from one', async () => {
  const first = await say('one');
  const second = await say('two', first);
  const other = await say('other', first);
  assert.deepEqual(textsOf(await conversations.recall(second, ALICE)), ['one', 're: one', 'two', 're: two']);
  assert.deepEqual(textsOf(await conversations.recall(other, ALICE)), [
    'one',
    're: one',
    'other',
    're: other',
  ]);
});

test('items are found by their ids', async () => {
  const id = await say('here');
  const found = await conversations.findItems([`msg_${id}`, 'msg_unknown'], ALICE);
  assert.deepEqual([...found.keys()], [`msg_${id}`]);
  assert.equal(found.get(`msg_${id}`)?.['text'], 're: here');
});

test('a conversation with a missing response is not found', async () => {
  const first = await say('one');
  const second = await say('two', first);
  assert.equal(await conversations.delete(first, ALICE), true);
  assert.equal(await conversations.delete(first, ALICE), false);
  assert.equal(await conversations.recall(second, ALICE), undefined);
});

test('a conversation beyond 32 MiB is refused before it is read', async () => {
  const big = 'x'.repeat(9 * 1024 * 1024);
  let id: string | undefined;
  for (let turn = 0; turn < 4; turn += 1) id = await say(big, id);
  await assert.rejects(conversations.recall(id ?? '', ALICE), { code: 'body_too_large' });
});

test('a response expires after 30 days, and its row is deleted soon after', async () => {
  const old = await say('old');
  clock.advance(29 * DAY_MS);
  const young = await say('young');
  assert.ok(await conversations.find(old, ALICE));
  clock.advance(DAY_MS);
  assert.equal(await conversations.find(old, ALICE), undefined);
  assert.equal(await conversations.recall(old, ALICE), undefined);
  const sweeper = createConversations({ database: fresh.database, clock });
  sweeper.start();
  const count = async () =>
    (await fresh.database.query({ text: 'SELECT id FROM stored_response' })).rows.map(({ id }) => id);
  await until('the row is gone', async () => (await count()).length === 1);
  await sweeper.close();
  assert.deepEqual(await count(), [young]);
});

const UNSTORABLE = ['nul \u0000', 'lone \ud800', 'x'.repeat(100_000)];

for (const odd of UNSTORABLE) {
  const shown = JSON.stringify(odd.slice(0, 10));
  test(`a response with an item whose id is ${shown} is stored, and nothing is found by that id`, async () => {
    const id = createIdentifier('resp');
    const output = [{ id: odd, type: 'message' }];
    await conversations.save({ id, input: '[]', response: { id, output } }, ALICE);
    assert.deepEqual((await conversations.find(id, ALICE))?.['output'], output);
    assert.equal((await conversations.findItems([odd], ALICE)).size, 0);
  });

  test(`a response whose own id is ${shown} is not found, without an error`, async () => {
    await conversations.save({ id: odd, input: '[]', response: { id: odd, output: [] } }, ALICE);
    assert.equal(await conversations.find(odd, ALICE), undefined);
    assert.equal(await conversations.recall(odd, ALICE), undefined);
    assert.equal(await conversations.delete(odd, ALICE), false);
  });
}
