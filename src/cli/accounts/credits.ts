import type { Command } from 'commander';
import type { PicoUsd } from '#base';
import { formatUsd } from '#base';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { readAmount } from '../terminal/read-amount.ts';
import { withStores } from '../terminal/with-stores.ts';

interface AddOptions extends CommonOptions {
  org: string;
  id?: string;
  idempotencyKey?: string;
}

export function createCreditsCommand(): Command {
  const add = defineCommand({
    name: 'add',
    summary: 'Add credits to an organization; from its first credits on it can spend no more than it has.',
    examples: ['credits add --org org_… 50', 'credits add --org org_… 50 --id invoice-17'],
  })
    .requiredOption('--org <id>', 'the organization, as `orgs list` shows it')
    .option('--id <text>', 'the same as --idempotency-key')
    .option('--idempotency-key <text>', 'adds once however often the command is repeated')
    .argument('<usd>', 'the amount in USD', readAmount)
    .action(async (amount: PicoUsd, options: AddOptions) => {
      const { org } = options;
      const idempotencyKey = options.id ?? options.idempotencyKey;
      const { balance } = await withStores(options, ({ accounts }) =>
        accounts.directory.addCredits({
          organizationId: org,
          amount,
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        }),
      );
      const shown = formatUsd(balance);
      print(options, { organizationId: org, balance: shown }, () => [
        `${org} has ${shown} USD of credits left`,
      ]);
    });
  return defineGroup('credits', 'Manage credits.', [add]);
}
