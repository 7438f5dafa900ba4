import {
  choice,
  filter,
  nullableOutput,
  number,
  optional,
  outputText,
  required,
  text,
  textList,
  time,
  usd,
} from '#fields';
import { formatTime } from '#base';
import { GatewayError } from '#errors';
import type { AdminCaller } from '../admin-key.ts';
import { formatLimits } from '../resource/describe.ts';
import { spendingCommands } from '../resource/spending-commands.ts';
import {
  limitInput,
  recurringFields,
  recurringLimitInput,
  sharedLimitInputs,
} from '../resource/spending-fields.ts';
import { renameCommand } from '../resource/rename-command.ts';
import { inOrganization, ofOrganization } from '../resource/organization-input.ts';
import { resourceOf } from '../resource/resource.ts';
import { name } from '../resource/types.ts';
import { type Member, type MemberStore, createMemberStore } from './member-store.ts';
import { MEMBER_ROLES, type MemberRole } from '../roles/roles.ts';

const { define, operation } = resourceOf<{ directory: MemberStore }, Member>();

const role = choice(MEMBER_ROLES);

const create = operation({
  summary: 'Add a member to an organization.',
  answer: 'The member.',
  kind: 'one',
  input: {
    organizationId: ofOrganization,
    name: required(name, { flags: '<name>', help: 'the name' }),
    email: optional(text('an e-mail address'), {
      flags: '--email <address>',
      help: 'distinguishes members with the same name',
    }),
    role: required(role, { flags: '--role <role>', help: 'what it may do', fallback: { value: 'member' } }),
    ...sharedLimitInputs('--budget'),
  },
  example: { organization_id: 'org_…', name: 'Ada Lovelace', role: 'member', limit: '10' },
  run: async ({ directory, input, caller }) => {
    await refuseOwner(directory, input.role, caller);
    return directory.addMember(input);
  },
});

const update = operation({
  summary: 'Rename a member, or change its role or its limits. All changes are applied, or none.',
  answer: 'The updated member.',
  kind: 'one',
  input: {
    name: optional(name, { flags: '<name>', help: 'its new name' }),
    role: optional(role, { flags: '<role>', help: 'its new role' }),
    limit: limitInput,
    recurringLimit: recurringLimitInput,
  },
  example: { name: 'Ada King', role: 'admin', recurring_limit: { amount: '5', period: 'week' } },
  run: async ({ directory, id, input, caller }) => {
    await refuseOwner(directory, input.role, caller);
    return directory.updateMember(id, input);
  },
});

/** An admin's role is what the issuer says at each sign-in; as an owner it would stay one, and might be the last. */
async function refuseOwner(
  directory: MemberStore,
  wanted: MemberRole | undefined,
  caller: AdminCaller | undefined,
): Promise<void> {
  if (wanted !== 'owner' || caller?.heldBy === undefined) return;
  if ((await directory.getMember(caller.heldBy)).role === 'owner') return;
  throw new GatewayError('role_not_allowed', 'only an owner or an operator can make a member an owner', {
    param: 'role',
  });
}

export const memberResource = define({
  name: 'member',
  path: 'members',
  scope: 'accounts',
  owner: ({ directory }, id) => directory.getMember(id),
  memberOf: ({ id }) => id,
  store: createMemberStore,
  table: 'member',
  named: { by: 'name', option: 'member' },
  fields: {
    organizationId: outputText(),
    name: outputText(),
    email: nullableOutput(outputText()),
    role,
    keys: number('How many API keys the member has.'),
    usage: usd,
    limit: nullableOutput(usd),
    ...recurringFields,
    createdAt: time,
  },
  operations: {
    create,
    list: operation({
      summary: 'List members, oldest first.',
      answer: 'A page of members, without removed ones.',
      kind: 'page',
      input: {
        organizationId: inOrganization('Only members of this organization.'),
        search: filter(text(), 'Only members whose name or e-mail contains this text.', '--search <text>'),
      },
      run: ({ directory, input, page }) => directory.listMembers({ ...input, ...page }),
    }),
    get: operation({
      summary: 'Get a member with limits and usage.',
      answer: 'The member.',
      kind: 'one',
      isForMembers: true,
      run: ({ directory, id }) => directory.getMember(id),
    }),
    update,
    remove: operation({
      summary: 'Remove a member. Its API keys are disabled permanently.',
      answer: 'The member is removed.',
      kind: 'deleted',
      fields: { disabledKeyIds: textList('') },
      run: ({ directory, id }) => directory.removeMember(id),
    }),
  },
  manifest: {
    within: ['organization'],
    list: 'members',
    name: 'name',
    identity: 'email',
    fields: { create: ['email'], update: ['role', 'limit', 'recurringLimit'] },
  },
  commands: {
    group: 'members',
    summary: 'Manage the members of an organization, their roles and limits.',
    target: { flags: '<id>', help: 'the member, as listed' },
    empty: 'no members',
    replaced: { budget: '`members limit` and `members recurring`, of which each keeps the other' },
    columns: {
      id: 'id',
      name: 'name',
      email: 'email',
      organization: 'organizationId',
      role: 'role',
      keys: 'keys',
      'used usd': 'usage',
      'limit usd': formatLimits,
      resets: ({ recurringUsage: period }) => formatTime(period?.resetsAt),
    },
    distinguishing: ['organization'],
    commands: [
      {
        name: 'add',
        operation: 'create',
        examples: [
          'members add "Ada Lovelace" --email ada@example.com --role admin',
          'members add "Charles Babbage" --limit 100 --recurring 5/day',
        ],
        format: ({ id }) => [id],
      },
      {
        name: 'list',
        operation: 'list',
        summary: 'List members with the usage of their keys.',
        examples: ['members list', 'members list --org org_…'],
      },
      renameCommand({ group: 'members', what: 'a member', sample: 'mem_… "Ada King"' }),
      {
        name: 'role',
        operation: 'update',
        inputs: ['role'],
        summary:
          'Change the role of a member. Keys of owners and admins may create session tokens; keys of viewers may not call models. The last owner cannot be changed.',
        examples: ['members role mem_… admin'],
        format: (member) => [`${member.id} has the role ${member.role}`],
      },
      ...spendingCommands({ group: 'members', what: 'all keys of a member together', sample: 'mem_…' }),
      {
        name: 'remove',
        operation: 'remove',
        summary: 'Remove a member. Its keys and their session tokens become invalid at once.',
        examples: ['members remove mem_…'],
        format: ({ id, disabledKeyIds }) => [
          `${id} is removed`,
          ...disabledKeyIds.map((keyId) => `${keyId} is disabled`),
        ],
      },
    ],
  },
});
