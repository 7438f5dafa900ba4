import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '#base';
import { TestClock } from '../../../../test/support/test-clock.ts';
import { LeaseMessages } from './lease-messages.ts';
import type { OwnerStore } from '../store/owner-store.ts';

const SUBJECT = { keyId: 'k', organizationId: 'o' };

function open(isBehind: (since?: string) => string | undefined = () => undefined) {
  const clock = new TestClock();
  const sent: string[] = [];
  const owners = {
    notify: async (text: string) => void sent.push(text),
    isBehind: async (_: unknown, since?: string) => isBehind(since),
  };
  const messages = new LeaseMessages({
    owners: owners as unknown as OwnerStore,
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
  assert.deepEqual(
    asked,
    [undefined, 'since', 'since', undefined],
    'once more: that report may have begun before',
  );
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

/** Another process with a lease, whose reports follow one another, and the database that has them. */
class OtherProcess {
  settled = 1;
  reported = 0;
  #reportedAt = 0;
  #now = 1;
  #reports: Promise<void> = Promise.resolve();

  /** What it has settled when a report begins is in the database when that ends. */
  report(): void {
    this.#reports = this.#reports.then(async () => {
      const { settled } = this;
      await delay(30);
      this.reported = settled;
      this.#reportedAt = this.#tick();
    });
  }

  isBehind(since = this.#tick()): number | undefined {
    return this.#reportedAt < since ? since : undefined;
  }

  #tick(): number {
    return (this.#now += 1);
  }
}

test('what was settled while a report was under way is seen, too', async () => {
  const other = new OtherProcess();
  const messages = new LeaseMessages({
    owners: {
      isBehind: async (_: unknown, since?: string) =>
        other.isBehind(since === undefined ? undefined : Number(since))?.toString(),
      notify: async () => other.report(),
    } as unknown as OwnerStore,
    clock: systemClock,
    onFault: assert.ifError,
  });
  other.report();
  await delay(5);
  other.settled = 2;
  assert.equal(await messages.catchUp(SUBJECT), true);
  assert.equal(other.reported, 2);
});
