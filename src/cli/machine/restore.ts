import { formatCount, toSnakeCaseMembers } from '#base';
import type { Command } from 'commander';
import { createCommandLog, encodeLedgerCheck, loadStoreSettings, restoreBackup } from '#app';
import { checkLedger, describeLedgerCheck } from '../records/check-ledger.ts';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { interruptible } from '../terminal/interruption.ts';
import { print, remark } from '../terminal/output.ts';

export function createRestoreCommand(): Command {
  return defineCommand({
    name: 'restore',
    summary:
      'Load a backup into an empty database or data directory, migrate it, and check the ledger. Needs the secret of the ' +
      'installation that was backed up. Exit code 1 where the books do not agree.',
    examples: ['restore sluice-2026-11-24.backup --data-dir /srv/sluice'],
  })
    .argument('<file>', 'a backup')
    .action(async (file: string, options: CommonOptions) => {
      const settings = loadStoreSettings(toOrigin(options));
      const { report, books } = await interruptible(async (signal) => ({
        report: await restoreBackup(settings, { file, log: createCommandLog(), onProgress: remark, signal }),
        books: await checkLedger(settings, signal),
      }));
      if (books.differences.length > 0) process.exitCode = 1;
      print(options, { ...toSnakeCaseMembers(report), ledger: encodeLedgerCheck(books) }, () => [
        `restored: ${formatCount(report.rows, 'row')} as of ${report.createdAt}` +
          (report.migrated.length === 0 ? '' : `, migrated by ${report.migrated.join(', ')}`),
        ...describeLedgerCheck(books),
      ]);
    });
}
