import {
  choice,
  filter,
  nullableOutput,
  optional,
  outputText,
  required,
  text,
  textList,
  time,
  usd,
} from '#fields';
import { formatUsd } from '#base';
import { PLAN_TIERS } from '../plans/plan-terms.ts';
import { formatLimits } from '../resource/describe.ts';
import { renameCommand } from '../resource/rename-command.ts';
import { rateLimitsCommand } from '../resource/rate-limits-command.ts';
import { recurringCommand } from '../resource/spending-commands.ts';
import { recurringFields, recurringLimitInput } from '../resource/spending-fields.ts';
import { resourceOf } from '../resource/resource.ts';
import { idOf, name, rateLimits } from '../resource/types.ts';
import { type NameStore, createNameStore } from './names.ts';
import type { RemovedOrganization } from './remove-account.ts';
import { type Organization, type OrganizationStore, createOrganizationStore } from './organizations.ts';

const { define, operation } = resourceOf<
  { directory: OrganizationStore & NameStore },
  Organization & Partial<RemovedOrganization>
>();

export const organizationResource = define({
  name: 'organization',
  path: 'organizations',
  scope: 'accounts',
  owner: 'id',
  store: (ports) => ({ ...createOrganizationStore(ports), ...createNameStore(ports) }),
  table: 'organization',
  named: { by: 'name', option: 'org' },
  fields: {
    name: outputText(),
    plan: choice([...PLAN_TIERS, 'none']),
    usage: usd,
    balance: nullableOutput(usd, 'Remaining credits; null if the organization is not metered.'),
    rateLimits,
    ...recurringFields,
    createdAt: time,
  },
  operations: {
    create: operation({
      summary: 'Create an organization.',
      answer: 'The organization.',
      kind: 'one',
      input: { name: required(name, { flags: '<name>', help: 'its name' }) },
      example: { name: 'Acme' },
      run: ({ directory, input }) => directory.createOrganization(input.name),
    }),
    list: operation({
      summary: 'List organizations, oldest first.',
      answer: 'A page of organizations.',
      kind: 'page',
      input: {
        organizationId: filter(idOf('organization', ''), ''),
        search: filter(text(), 'Only organizations whose name contains this text.', '--search <text>'),
      },
      run: ({ directory, input, page }) => directory.listOrganizations({ ...input, ...page }),
    }),
    get: operation({
      summary: 'Get an organization.',
      answer: 'The organization.',
      kind: 'one',
      run: ({ directory, id }) => directory.getOrganization(id),
    }),
    update: operation({
      summary: 'Rename an organization, or change the limits that all its keys share.',
      answer: 'The updated organization.',
      kind: 'one',
      input: {
        name: optional(name, { flags: '<name>', help: 'its new name' }),
        rateLimits: optional(rateLimits),
        recurringLimit: recurringLimitInput,
      },
      example: {
        name: 'Acme Inc.',
        rate_limits: { concurrency: 500 },
        recurring_limit: { amount: '2000', period: 'month' },
      },
      run: ({ directory, id, input }) => directory.updateOrganization(id, input),
    }),
    remove: operation({
      summary:
        'Remove an organization permanently, with its projects, keys, members, provider keys and custom providers. Its admin keys and sessions of the dashboard end. Usage, requests and the ledger stay.',
      answer: 'The organization is removed.',
      kind: 'deleted',
      isForUnbound: true,
      fields: {
        removedProjectIds: textList(''),
        disabledKeyIds: textList(''),
        removedMemberIds: textList(''),
        disabledAdminKeyIds: textList(''),
      },
      run: ({ directory, id }) => directory.removeOrganization(id),
    }),
  },
  manifest: { list: 'organizations', name: 'name', fields: { update: ['rateLimits', 'recurringLimit'] } },
  commands: {
    group: 'orgs',
    summary: 'Create, list, rename, limit and remove organizations.',
    target: { flags: '<id>', help: 'the id of an organization, as listed' },
    empty: 'no organizations',
    columns: {
      id: 'id',
      name: 'name',
      plan: 'plan',
      'used usd': 'usage',
      'limit usd': ({ recurringLimit }) => formatLimits({ limit: null, recurringLimit }),
      'balance usd': ({ balance }) => (balance === undefined ? 'not metered' : formatUsd(balance)),
    },
    commands: [
      {
        name: 'create',
        operation: 'create',
        summary: 'Create an organization. Its projects share one balance of credits.',
        examples: ['orgs create "Acme Inc."'],
        format: ({ id }) => [id],
      },
      { name: 'list', operation: 'list', examples: ['orgs list'] },
      renameCommand({ group: 'orgs', what: 'an organization', sample: 'org_… "Acme Inc."' }),
      recurringCommand({ group: 'orgs', what: 'all keys of an organization together', sample: 'org_…' }),
      rateLimitsCommand({ group: 'orgs', what: 'an organization', sample: 'org_…' }),
      {
        name: 'remove',
        operation: 'remove',
        summary:
          'Remove an organization permanently, with its projects, keys, members, provider keys and custom providers. What it used stays in reports.',
        examples: ['orgs remove org_…'],
        format: (removed) => [
          `${removed.id} is removed`,
          ...(removed.removedProjectIds ?? []).map((id) => `${id} is removed`),
          ...removed.disabledKeyIds.map((id) => `${id} is deleted`),
          ...(removed.removedMemberIds ?? []).map((id) => `${id} is removed`),
          ...(removed.disabledAdminKeyIds ?? []).map((id) => `${id} is disabled`),
        ],
      },
    ],
  },
});
