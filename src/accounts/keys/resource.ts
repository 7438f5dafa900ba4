import {
  filter,
  flag,
  nullableOutput,
  optional,
  outputText,
  required,
  seconds,
  text,
  time,
  usd,
} from '#fields';
import { routing } from '../routing/routing-field.ts';
import { inOrganization } from '../resource/organization-input.ts';
import { resourceOf } from '../resource/resource.ts';
import { limitInput, recurringLimitInput } from '../resource/spending-fields.ts';
import {
  futureTime,
  futureTimeOrNull,
  initialRateLimits,
  idOf,
  name,
  rateLimits,
  recurringLimit,
} from '../resource/types.ts';
import type { NamePorts } from '../rules/note-unmatched-names.ts';
import { keyCommands } from './key-commands.ts';
import { createKeyStore } from './key-store.ts';
import type { KeyStore, NewKey } from './key-record.ts';
import type { KeyRecord } from './read-key-records.ts';

const DAY = 86_400;
const MOST_GRACE = 90 * DAY;

const { define, operation } = resourceOf<NamePorts & { directory: KeyStore }, KeyRecord>();

const create = operation({
  summary: 'Create an API key. The response contains its secret, which is not shown again.',
  answer: 'The key with its secret.',
  kind: 'secret',
  input: {
    projectId: required(idOf('project', 'its project'), {
      flags: '--project <id>',
      help: 'the project it belongs to (default: the first of the first organization)',
      defaultsTo: 'project',
    }),
    label: required(name, {
      flags: '--label <text>',
      help: 'what the key is for',
      fallback: { value: 'key' },
    }),
    limit: optional(usd, {
      flags: '--limit <usd>',
      help: 'the all-time limit of its spending',
      perPeriod: '--recurring',
    }),
    recurringLimit: optional(recurringLimit, {
      flags: '--recurring <usd/period>',
      help: 'the limit of its spending per hour, day, week or month',
    }),
    rateLimits: optional(initialRateLimits),
    memberId: optional(idOf('member', 'a member of the organization'), {
      flags: '--member <id>',
      help: 'the member it belongs to, as `members list` shows it',
    }),
    expiresAt: optional(futureTime, {
      flags: '--expires <when>',
      help: 'when it expires: 30d, 2030-01-31 (UTC)',
    }),
  },
  example: {
    project_id: 'prj_…',
    label: 'ci',
    limit: '25',
    recurring_limit: { amount: '5', period: 'day' },
    rate_limits: { requests_per_minute: 60 },
    expires_at: '2099-01-01T00:00:00Z',
  },
  run: async ({ directory, input }) => withSecret(await directory.createKey(input)),
});

const list = operation({
  summary: 'List API keys, oldest first, without their secrets.',
  answer: 'A page of keys.',
  kind: 'page',
  input: {
    organizationId: inOrganization('Only keys of this organization.'),
    projectId: filter(idOf('project', 'a project'), 'Only keys of this project.', '--project <id>'),
    memberId: filter(idOf('member', 'a member'), 'Only keys of this member.', '--member <id>'),
    search: filter(text(), 'Only keys whose label contains this text.', '--search <text>'),
  },
  isForMembers: true,
  run: ({ directory, input, page }) => directory.listKeys({ ...input, ...page }),
});

const update = operation({
  summary:
    'Rename, disable or enable an API key, or change its limits, routing or expiry. All changes are applied, or none.',
  answer: 'The updated key.',
  kind: 'one',
  input: {
    label: optional(name, { flags: '<label>', help: 'its new label' }),
    disabled: optional(flag('true to disable the key at once, false to enable it')),
    limit: limitInput,
    recurringLimit: recurringLimitInput,
    rateLimits: optional(rateLimits),
    routing: optional(routing),
    expiresAt: optional(futureTimeOrNull, {
      flags: '<when>',
      help: 'a future date or time (UTC), a length of time from now, or none',
    }),
  },
  example: {
    label: 'ci, nightly',
    limit: '100',
    recurring_limit: null,
    rate_limits: { tokens_per_minute: 100_000 },
    routing: { order: ['anthropic'] },
  },
  run: ({ directory, id, input }) => directory.updateKey(id, input),
});

const rotate = operation({
  summary:
    'Replace the secret of an API key. The response contains the new one, which is not shown again; the current one stays valid for a grace period.',
  answer: 'The key with its new secret.',
  kind: 'secret',
  input: {
    graceSeconds: optional(
      seconds({
        least: 0,
        most: MOST_GRACE,
        expected: `a whole number of seconds from 0 to ${MOST_GRACE}; a day unless given`,
      }),
      {
        flags: '--grace <time>',
        help: 'how long the current secret stays valid, at most 90d',
        fallback: { value: DAY, shown: '24h' },
        shortcuts: { '--now': { value: 0, help: 'the current secret is invalid at once' } },
      },
    ),
  },
  example: { grace_seconds: 3600 },
  run: async ({ directory, id, input: { graceSeconds = DAY } }) =>
    withSecret(await directory.rotateKey(id, { graceMs: graceSeconds * 1000 })),
});

export const keyResource = define({
  name: 'key',
  path: 'keys',
  scope: 'accounts',
  owner: ({ directory }, id) => directory.getKey(id),
  memberOf: ({ memberId }) => memberId,
  store: createKeyStore,
  table: 'api_key',
  named: { by: 'label', option: 'key' },
  fields: {
    organizationId: outputText(),
    projectId: outputText(),
    memberId: nullableOutput(outputText()),
    label: outputText(),
    masked: outputText('`slc_…abcd`'),
    disabled: flag('true or false'),
    usage: usd,
    limit: nullableOutput(usd),
    recurringLimit: nullableOutput(recurringLimit),
    rateLimits,
    routing,
    createdAt: time,
    expiresAt: nullableOutput(time),
    previousSecretExpiresAt: nullableOutput(time),
    lastUsedAt: nullableOutput(time),
  },
  operations: {
    create,
    list,
    get: operation({
      summary: 'Get an API key, without its secret.',
      answer: 'The key.',
      kind: 'one',
      isForMembers: true,
      run: ({ directory, id }) => directory.getKey(id),
    }),
    update,
    rotate,
    remove: operation({
      summary: 'Delete an API key permanently. Its usage stays in the ledger.',
      answer: 'The key is deleted.',
      kind: 'deleted',
      run: ({ directory, id }) => directory.deleteKey(id),
    }),
  },
  manifest: {
    within: ['project'],
    list: 'keys',
    name: 'label',
    fields: {
      create: ['memberId'],
      update: ['limit', 'recurringLimit', 'rateLimits', 'routing', 'expiresAt', 'disabled'],
    },
  },
  commands: keyCommands,
});

function withSecret({ secret, key }: NewKey): KeyRecord & { secret: string } {
  return { ...key, secret };
}
