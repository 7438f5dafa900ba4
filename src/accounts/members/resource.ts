import { formatTime } from '#base';
import { Type } from 'typebox';
import { formatLimits } from '../resource/describe.ts';
import { type ShownType, orNone, orNull } from '../resource/field-type.ts';
import { filter, maybe, needed, resourceOf } from '../resource/resource.ts';
import {
  AMOUNT,
  idOf,
  name,
  number,
  recurringLimit,
  shown,
  text,
  texts,
  time,
  usd,
  word,
} from '../resource/types.ts';
import { type Member, type MemberBook, createMemberBook } from './member-book.ts';
import { MEMBER_ROLES } from './roles.ts';

const { define, operation } = resourceOf<{ directory: MemberBook }, Member>();

const orNoLimit = orNone(usd, `${AMOUNT}, or null for no limit`);
const orNoRecurring = orNone(recurringLimit, 'an object of amount and period, or null for no limit');
const role = word(MEMBER_ROLES);

const recurringUsage: ShownType<NonNullable<Member['recurringUsage']>> = {
  typed: 'text',
  answer: Type.Object({ used: usd.answer, resets_at: time.answer }),
  encode: ({ used, resetsAt }) => ({ used: usd.encode(used), resets_at: time.encode(resetsAt) }),
};

const create = operation({
  summary: 'Add a member to an organization.',
  answer: 'The member.',
  kind: 'one',
  input: {
    organizationId: needed(idOf('organization', 'its organization'), {
      as: '--org <id>',
      help: 'the organization (default: the first)',
      first: 'organization',
    }),
    name: needed(name, { as: '<name>', help: 'the name' }),
    email: maybe(text('an e-mail address'), {
      as: '--email <address>',
      help: 'to distinguish people',
    }),
    role: needed(role, { as: '--role <role>', help: 'what it may do', fallback: { value: 'member' } }),
    limit: maybe(orNoLimit, {
      as: '--budget <usd>',
      help: 'the most all its keys together may ever spend',
    }),
    recurringLimit: maybe(orNoRecurring, {
      as: '--recurring <usd/period>',
      help: 'the most they may spend per hour, day, week or month',
    }),
  },
  example: { organization_id: 'org_…', name: 'Ada Lovelace', role: 'member', limit: '10' },
  run: ({ directory, input: { limit = null, recurringLimit: recurring = null, ...member } }) =>
    directory.addMember({ ...member, budget: { limit, recurringLimit: recurring } }),
});

const update = operation({
  summary: 'Change the role or the budget of a member. All changes are made, or none.',
  answer: 'The updated member.',
  kind: 'one',
  input: {
    role: maybe(role, { as: '<role>', help: 'its new role' }),
    limit: maybe(orNoLimit),
    recurringLimit: maybe(orNoRecurring),
  },
  example: { role: 'admin', recurring_limit: { amount: '5', period: 'week' } },
  run: async ({ directory, id, input }) => {
    const before = await directory.getMember(id);
    if (input.role !== undefined) await directory.setMemberRole(id, input.role);
    const { limit = before.limit, recurringLimit: recurring = before.recurringLimit } = input;
    if (input.limit === undefined && input.recurringLimit === undefined) return directory.getMember(id);
    return directory.setMemberBudget(id, { limit, recurringLimit: recurring });
  },
});

export const memberResource = define({
  name: 'member',
  path: 'members',
  scope: 'accounts',
  owner: ({ directory }, id) => directory.getMember(id),
  book: createMemberBook,
  fields: {
    organizationId: shown(),
    name: shown(),
    email: orNull(shown()),
    role,
    keys: number('How many API keys the member has.'),
    usage: usd,
    limit: orNull(usd),
    recurringLimit: orNull(recurringLimit),
    recurringUsage: orNull(recurringUsage, 'Usage in the current period; null if none has begun.'),
    createdAt: time,
  },
  operations: {
    create,
    list: operation({
      summary: 'List members, oldest first.',
      answer: 'A page of members, without removed ones.',
      kind: 'page',
      input: {
        organizationId: filter(idOf('organization', ''), 'Only members of this organization.', {
          as: '--org <id>',
          help: 'only members of this organization',
        }),
      },
      run: ({ directory, input, page }) => directory.listMembers({ ...input, ...page }),
    }),
    get: operation({
      summary: 'Get a member with budget and usage.',
      answer: 'The member.',
      kind: 'one',
      input: {},
      run: ({ directory, id }) => directory.getMember(id),
    }),
    update,
    remove: operation({
      summary: 'Remove a member. Its API keys are disabled permanently.',
      answer: 'The member is removed.',
      kind: 'gone',
      input: {},
      fields: { disabledKeyIds: texts('') },
      run: ({ directory, id }) => directory.removeMember(id),
    }),
  },
  commands: {
    group: 'members',
    summary: 'Manage the members of an organization, their roles and budgets.',
    naming: { as: '<id>', help: 'the member, as listed' },
    empty: 'no members',
    columns: {
      id: 'id',
      name: 'name',
      email: 'email',
      role: 'role',
      keys: 'keys',
      'used usd': 'usage',
      'budget usd': formatLimits,
      resets: ({ recurringUsage: period }) => formatTime(period?.resetsAt),
    },
    commands: [
      {
        name: 'add',
        does: 'create',
        examples: [
          'members add "Ada Lovelace" --email ada@example.com --role admin',
          'members add "Charles Babbage" --budget 100 --recurring 5/day',
        ],
        says: ({ id }) => [id],
      },
      {
        name: 'list',
        does: 'list',
        summary: 'List members with the usage of their keys.',
        examples: ['members list', 'members list --org org_…'],
      },
      {
        name: 'role',
        does: 'update',
        takes: ['role'],
        summary:
          'Change the role of a member. Keys of owners and admins may create session tokens; keys of viewers may not call models. The last owner cannot be changed.',
        examples: ['members role mem_… admin'],
        says: (member) => [`${member.id} has the role ${member.role}`],
      },
      {
        name: 'budget',
        does: 'update',
        takes: [],
        takesBudget: true,
        summary: 'Replace the budget of a member, which all its keys share. Usage is kept.',
        examples: ['members budget mem_… 100', 'members budget mem_… 100 5/day', 'members budget mem_… none'],
        says: (member) => [
          member.limit === null && member.recurringLimit === null
            ? `${member.id} has no budget of its own`
            : `${member.id} may spend ${formatLimits(member)} USD`,
        ],
      },
      {
        name: 'remove',
        does: 'remove',
        summary: 'Remove a member. Its keys and their session tokens become invalid at once.',
        examples: ['members remove mem_…'],
        says: ({ id, disabledKeyIds }) => [
          `${id} is removed`,
          ...disabledKeyIds.map((keyId) => `${keyId} is disabled`),
        ],
      },
    ],
  },
});
