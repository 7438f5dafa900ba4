import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from '#pipeline';
import { createRow } from '../../../../../test/support/fresh-accounts.ts';
import { EventStream } from './event-stream.ts';

const row = createRow({ keyId: 'k', keyLabel: 'k', projectId: 'p', organizationId: 'o' }, 'req_1');

/** A reply to a caller who has room for the first write, and who reads when `drain` is called. */
function createReply() {
  const sent = { texts: [] as string[], isEnded: false, drain: (): void => undefined };
  const reply = {
    begin: () => undefined,
    onGone: () => undefined,
    onDrain: (run: () => void) => (sent.drain = run),
    write: (text: string) => sent.texts.push(text) < 2,
    end: () => (sent.isEnded = true),
  } as unknown as Reply;
  return { sent, reply };
}

test('a stream of which nothing is read for a minute ends, and one that is read on goes on', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { sent, reply } = createReply();
  const stream = new EventStream(reply, { encode: () => ({}), isOver: async () => false });
  const over = stream.run([row], undefined);
  t.mock.timers.tick(59_000);
  sent.drain();
  t.mock.timers.tick(59_000);
  stream.reader.take(row);
  t.mock.timers.tick(59_000);
  await Promise.resolve();
  assert.equal(sent.isEnded, false);
  t.mock.timers.tick(1_000);
  await over;
  assert.equal(sent.isEnded, true);
});
