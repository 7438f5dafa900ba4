import type { Command } from 'commander';
import { formatUsd } from '#base';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { createRateLimitsCommand, toJsonRateLimits } from '../terminal/rate-limits.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

export function createOrgsCommand(): Command {
  return defineGroup('orgs', 'Create organizations, look at them and limit them.', [
    createCreate(),
    createList(),
    createRateLimitsCommand({
      group: 'orgs',
      what: 'an organization',
      id: 'org_…',
      change: ({ accounts }, id, change) => accounts.directory.setOrganizationRateLimits(id, change),
    }),
  ]);
}

function createCreate(): Command {
  return defineCommand({
    name: 'create',
    summary: 'Create an organization; it shares one purse.',
    examples: ['orgs create "Acme Inc."'],
  })
    .argument('<name>', 'what it is called')
    .action(async (name: string, options: CommonOptions) => {
      const made = await withStores(options, ({ accounts }) => accounts.directory.createOrganization(name));
      print(options, { id: made.id, name: made.name }, () => [made.id]);
    });
}

function createList(): Command {
  return defineCommand({
    name: 'list',
    summary: 'List organizations.',
    examples: ['orgs list'],
  }).action(async (options: CommonOptions) => {
    const organizations = await withStores(options, ({ accounts }) => accounts.directory.listOrganizations());
    const data = organizations.map(({ id, name, plan, balance, usage, rateLimits }) => ({
      id,
      name,
      plan,
      usage: formatUsd(usage),
      balance: balance === undefined ? null : formatUsd(balance),
      rateLimits: toJsonRateLimits(rateLimits),
    }));
    print(options, { data }, () =>
      formatTable(
        ['id', 'name', 'plan', 'used usd', 'balance usd'],
        data.map(({ id, name, plan, usage, balance }) => [id, name, plan, usage, balance ?? 'not metered']),
      ),
    );
  });
}
