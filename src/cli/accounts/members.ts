import type { Member, MemberBudget, MemberRole, RecurringLimit } from '#app';
import type { PicoUsd } from '#base';
import type { Command } from 'commander';
import { MEMBER_ROLES } from '#app';
import { formatUsd } from '#base';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { formatLimits, formatRecurring } from './key-records.ts';
import { print } from '../terminal/output.ts';
import { readAmount, readRecurringLimit } from '../terminal/read-amount.ts';
import { formatTable, formatTime } from '../terminal/table.ts';
import { getOrganizationId, withStores } from '../terminal/with-stores.ts';

export function createMembersCommand(): Command {
  return defineGroup('members', 'Manage the people of an organization: their roles and budgets.', [
    createAdd(),
    createList(),
    createRole(),
    createBudget(),
    createRemove(),
  ]);
}

interface AddOptions extends CommonOptions {
  org?: string;
  email?: string;
  role: MemberRole;
  budget?: PicoUsd;
  recurring?: RecurringLimit;
}

function createAdd(): Command {
  return defineCommand({
    name: 'add',
    summary: 'Add a member to an organization.',
    examples: [
      'members add "Ada Lovelace" --email ada@example.com --role admin',
      'members add "Charles Babbage" --budget 100 --recurring 5/day',
    ],
  })
    .option('--org <id>', 'the organization (default: the first)')
    .option('--email <address>', 'of use to tell people apart')
    .addOption(new Option('--role <role>', 'what it may do').choices([...MEMBER_ROLES]).default('member'))
    .option('--budget <usd>', 'the most all its keys together may ever spend', readAmount)
    .option(
      '--recurring <usd/period>',
      'the most they may spend per hour, day, week or month',
      readRecurringLimit,
    )
    .argument('<name>', 'what it is called')
    .action(async (name: string, options: AddOptions) => {
      const { email, role, budget: limit, recurring: recurringLimit } = options;
      const member = await withStores(options, async (stores) =>
        stores.accounts.directory.addMember({
          organizationId: await getOrganizationId(stores, options.org),
          name,
          role,
          ...(email !== undefined && { email }),
          budget: { limit: limit ?? null, recurringLimit: recurringLimit ?? null },
        }),
      );
      print(options, toJsonMember(member), () => [member.id]);
    });
}

interface ListOptions extends CommonOptions {
  org?: string;
}

function createList(): Command {
  return defineCommand({
    name: 'list',
    summary: 'List members with what their keys used.',
    examples: ['members list', 'members list --org org_…'],
  })
    .option('--org <id>', 'only members of this organization')
    .action(async (options: ListOptions) => {
      const { org: organizationId } = options;
      const members = await withStores(options, ({ accounts }) =>
        accounts.directory.listMembers(organizationId === undefined ? {} : { organizationId }),
      );
      print(options, { data: members.map(toJsonMember) }, () => formatMembers(members));
    });
}

function createRole(): Command {
  return defineCommand({
    name: 'role',
    summary:
      'Change the role of a member. Keys of owners and admins may make session tokens, those of viewers may not call models; the last owner stays one.',
    examples: ['members role mem_… admin'],
  })
    .argument('<id>', 'the member, as listed')
    .addArgument(new Argument('<role>', 'its new role').choices([...MEMBER_ROLES]))
    .action(async (id: string, role: MemberRole, options: CommonOptions) => {
      const member = await withStores(options, ({ accounts }) => accounts.directory.setMemberRole(id, role));
      print(options, toJsonMember(member), () => [`${id} has the role ${member.role}`]);
    });
}

function createBudget(): Command {
  return defineCommand({
    name: 'budget',
    summary:
      'Replace the budget of a member: what all its keys together may spend. What was used stays used.',
    examples: ['members budget mem_… 100', 'members budget mem_… 100 5/day', 'members budget mem_… none'],
  })
    .argument('<id>', 'the member, as listed')
    .argument('<usd...>', 'an amount of USD, an amount per period (5/day), both, or none', readBudget)
    .action(async (id: string, budget: MemberBudget, options: CommonOptions) => {
      const member = await withStores(options, ({ accounts }) =>
        accounts.directory.setMemberBudget(id, budget),
      );
      print(options, toJsonMember(member), () => [
        member.limit === null && member.recurringLimit === null
          ? `${id} has no budget of its own`
          : `${id} may spend ${formatLimits(member)} USD`,
      ]);
    });
}

/** What was typed, one word after the other. */
function readBudget(text: string, before: MemberBudget | undefined): MemberBudget {
  const budget = before ?? { limit: null, recurringLimit: null };
  if (text === 'none' && before === undefined) return budget;
  if (text.includes('/') && budget.recurringLimit === null)
    return { ...budget, recurringLimit: readRecurringLimit(text) };
  if (text !== 'none' && !text.includes('/') && budget.limit === null)
    return { ...budget, limit: readAmount(text) };
  throw new InvalidArgumentError('Write one amount, one amount per period, both, or none.');
}

function createRemove(): Command {
  return defineCommand({
    name: 'remove',
    summary: 'Remove a member: its keys and their session tokens open nothing any more, at once.',
    examples: ['members remove mem_…'],
  })
    .argument('<id>', 'the member, as listed')
    .action(async (id: string, options: CommonOptions) => {
      const { disabledKeyIds } = await withStores(options, ({ accounts }) =>
        accounts.directory.removeMember(id),
      );
      print(options, { id, removed: true, disabledKeyIds }, () => [
        `${id} is removed`,
        ...disabledKeyIds.map((keyId) => `${keyId} is disabled`),
      ]);
    });
}

function toJsonMember(member: Member) {
  const { id, organizationId, name, email = null, role, keys, recurringUsage } = member;
  return {
    id,
    organizationId,
    name,
    email,
    role,
    keys,
    usage: formatUsd(member.usage),
    budget: member.limit === null ? null : formatUsd(member.limit),
    recurringBudget: formatRecurring(member.recurringLimit),
    recurringUsage: recurringUsage === undefined ? null : formatUsd(recurringUsage.used),
    recurringResetsAt: recurringUsage === undefined ? null : new Date(recurringUsage.resetsAt).toISOString(),
    createdAt: new Date(member.createdAt).toISOString(),
  };
}

function formatMembers(members: readonly Member[]): string[] {
  if (members.length === 0) return ['no members'];
  return formatTable(
    ['id', 'name', 'email', 'role', 'keys', 'used usd', 'budget usd', 'resets'],
    members.map((member) => [
      member.id,
      member.name,
      member.email ?? '–',
      member.role,
      String(member.keys),
      formatUsd(member.usage),
      formatLimits(member),
      formatTime(member.recurringUsage?.resetsAt),
    ]),
  );
}
