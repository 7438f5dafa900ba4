import type { Command } from 'commander';
import { type CommonOptions, defineCommand, defineGroup } from './command.ts';
import { print } from './output.ts';
import { formatTable } from './table.ts';
import { withStores } from './with-stores.ts';

export function createLedgerCommand(): Command {
  const check = defineCommand({
    name: 'check',
    summary:
      'Add the books up again: entries, meters, holds and log rows must agree. Exit code 1 where they do not.',
    examples: ['ledger check'],
  }).action(async (options: CommonOptions) => {
    const differences = await withStores(options, ({ accounts }) => accounts.ledger.check());
    if (differences.length > 0) process.exitCode = 1;
    print(options, { ok: differences.length === 0, differences }, () =>
      differences.length === 0
        ? ['the books agree']
        : formatTable(
            ['what', 'subject', 'expected', 'actual'],
            differences.map(({ what, subject, expected, actual }) => [what, subject, expected, actual]),
          ),
    );
  });
  return defineGroup('ledger', 'Look after the books.', [check]);
}
