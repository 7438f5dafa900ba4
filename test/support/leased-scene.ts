import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Caller } from '#accounts';
import { systemClock } from '#base';
import { Journal } from '#storage';
import { silentLog } from '#telemetry';
import type { Report } from '../../src/accounts/ledger/store/encode-report.ts';
import type { Hold } from '../../src/accounts/ledger/ledger.ts';
import { LeasedRequests } from '../../src/accounts/ledger/requests/leased-requests.ts';
import type { LedgerCalls } from '../../src/accounts/ledger/store/ledger-calls.ts';
import { LedgerStore } from '../../src/accounts/ledger/store/ledger-store.ts';
import { type FaultyFiles, createFaultyFiles } from './faulty-files.ts';
import { createRow } from './fresh-accounts.ts';
import { type TemporaryFolder, createTemporaryFolder } from './temporary.ts';
import { TestClock } from './test-clock.ts';
import { until } from './until.ts';

const CALLER = { keyId: 'key', organizationId: 'org', projectId: 'project' } as Caller;

/** Requests on leases, with a real journal and a store that answers as the test says. */
export class LeasedScene {
  readonly clock = new TestClock();
  readonly disk: FaultyFiles;
  readonly leased: LeasedRequests;
  isTrusted = true;
  /** Reports that have begun, and what each waits for. */
  begun: Report[] = [];
  readonly gates: PromiseWithResolvers<undefined>[] = [];
  isGated = false;
  /** What the next reports and single settlements fail with. */
  fault: Error | undefined;
  settleFault: Error | undefined;
  written: string[] = [];
  readonly settledAlone: unknown[] = [];
  readonly faults: unknown[] = [];
  readonly #folder: TemporaryFolder;
  readonly #journal: Journal;
  #serial = 0;

  private constructor() {
    this.#folder = createTemporaryFolder();
    this.disk = createFaultyFiles(this.#folder.path);
    this.#journal = this.#createJournal({ files: this.disk.files });
    this.leased = new LeasedRequests({
      store: this.#createStore(),
      journal: this.#journal,
      durability: 'written',
      clock: this.clock,
      storeLimitMs: 1_000,
      isTrusted: () => this.isTrusted,
      onWritten: ({ settlement }) => this.written.push(settlement.requestId),
      onFault: (error) => this.faults.push(error),
    });
  }

  static async open(): Promise<LeasedScene> {
    const atMs = systemClock.monotonicMs();
    mock.method(systemClock, 'monotonicMs', () => atMs); // no deadline passes, however slow the machine
    const scene = new LeasedScene();
    await scene.#journal.open();
    scene.leased.start('1');
    return scene;
  }

  async close(): Promise<void> {
    mock.restoreAll();
    [this.isGated, this.fault, this.settleFault] = [false, undefined, undefined];
    this.openGates();
    await this.leased.close();
    await this.#journal.close();
    this.#folder.remove();
  }

  openGates(): void {
    for (const gate of this.gates) gate.resolve(undefined);
  }

  async reserve(amount = 1n): Promise<Hold | undefined> {
    const requestId = `req_${(this.#serial += 1)}`;
    return this.leased.reserve({ requestId, caller: CALLER, amount, row: createRow(CALLER, requestId) });
  }

  async settle({ requestId }: Pick<Hold, 'requestId'>): Promise<void> {
    const row = createRow(CALLER, requestId);
    await this.leased.settle({ requestId, customer: 1n, provider: 1n, estimated: false, row });
  }

  /** A request on a lease that has room for many more. */
  async admit(amount = 1n): Promise<Hold> {
    if (this.begun.length === 0) {
      await until('there is a lease', async () => (await this.reserve(1_000_000n)) !== undefined);
      await this.settle({ requestId: `req_${this.#serial}` });
      await this.leased.flush();
      [this.begun, this.written] = [[], []];
    }
    const hold = await this.reserve(amount);
    assert.ok(hold);
    return hold;
  }

  /** What would be left to a process that starts after a crash now. */
  async readLeftovers(): Promise<string[]> {
    const other = this.#createJournal();
    await this.#journal.close();
    await other.open();
    const texts = other.takeLeftovers().map(({ text }) => text);
    await other.close();
    return texts;
  }

  #createJournal(more: Partial<ConstructorParameters<typeof Journal>[0]> = {}): Journal {
    return new Journal({ folder: this.#folder.path, installation: 'test', log: silentLog, ...more });
  }

  #createStore(): LedgerStore {
    const store = new LedgerStore({} as LedgerCalls);
    store.report = async (report) => {
      this.begun.push(report);
      const gate = Promise.withResolvers<undefined>();
      this.gates.push(gate);
      if (this.isGated) await gate.promise;
      if (this.fault) throw this.fault;
      const states = report.leases.map(
        ({ lease, keep, want }) => [lease.id, { amount: keep + want }] as const,
      );
      return new Map(states.filter(([, { amount }]) => amount > 0n));
    };
    store.settleEncoded = async (encoded) => {
      this.settledAlone.push(encoded);
      if (this.settleFault) throw this.settleFault;
    };
    return store;
  }
}
