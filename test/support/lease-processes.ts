import { join } from 'node:path';
import type { Accounts, AccountsOptions } from '#accounts';
import { Journal } from '#storage';
import { silentLog } from '#telemetry';
import { rebootFolder } from './after-reboot.ts';
import { createFaultyDatabase } from './faulty-database.ts';
import { type FaultyFiles, createFaultyFiles } from './faulty-files.ts';
import { type FreshAccounts, type FreshOptions, openFreshAccounts } from './fresh-accounts.ts';
import { createTemporaryFolder } from './temporary.ts';

export interface LeaseProcess {
  accounts: Accounts;
  journal: Journal;
  disk: FaultyFiles;
  /** It ends without a word; only its journal is left. */
  kill(): void;
  /** Undoes `kill`. */
  revive(): void;
}

/** Processes with journals on one database. */
export interface LeaseProcesses extends AsyncDisposable {
  fresh: FreshAccounts;
  /** Those of all journals. */
  folder: string;
  /** With the journal of this name, which an ended process may have left. */
  start(journal?: string, options?: Partial<AccountsOptions>): Promise<LeaseProcess>;
  /** Its process has ended with its machine. */
  reboot(journal: string): void;
}

export async function openLeaseProcesses(options: FreshOptions = {}): Promise<LeaseProcesses> {
  const temporary = createTemporaryFolder();
  const fresh = await openFreshAccounts({ admissionWaitMs: 25_000, ...options });
  const journals: Journal[] = [];
  const start: LeaseProcesses['start'] = async (name = 'journal', own = {}) => {
    const folder = join(temporary.path, name);
    const disk = createFaultyFiles(folder);
    const journal = new Journal({ folder, installation: 'test', log: silentLog, files: disk.files });
    await journal.open();
    journals.push(journal);
    const faulty = createFaultyDatabase(await fresh.fresh.connect());
    const accounts = await fresh.join({ database: faulty.database, journal, ...own });
    const kill = (): void => void (faulty.state = 'down');
    const revive = (): void => void (faulty.state = 'up');
    return { accounts, journal, disk, kill, revive };
  };
  return {
    fresh,
    folder: temporary.path,
    start,
    reboot: (name) => rebootFolder(join(temporary.path, name)),
    [Symbol.asyncDispose]: async () => {
      await fresh[Symbol.asyncDispose]();
      for (const journal of journals) await journal.close();
      temporary.remove();
    },
  };
}
