import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '#base';
import { LeaseMessages } from './lease-messages.ts';
import type { LedgerStore } from './ledger-store.ts';

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
    store: {
      isBehind: async (_: unknown, since?: string) =>
        other.isBehind(since === undefined ? undefined : Number(since))?.toString(),
      notify: async () => other.report(),
    } as unknown as LedgerStore,
    clock: systemClock,
    onFault: assert.ifError,
  });
  other.report();
  await delay(5);
  other.settled = 2;
  assert.equal(await messages.catchUp({ keyId: 'key', organizationId: 'org' }), true);
  assert.equal(other.reported, 2);
});
