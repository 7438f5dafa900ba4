import { formatTime, systemClock } from '#base';
import { formatLimits, formatSecret } from '../resource/describe.ts';
import { routingCommand } from '../routing/routing-command.ts';
import { spendingCommands } from '../resource/spending-commands.ts';
import { rateLimitsCommand } from '../resource/rate-limits-command.ts';
import type { ResourceCommands } from '../resource/resource.ts';
import type { NamePorts } from '../rules/note-unmatched-names.ts';
import type { KeyRecord } from './read-key-records.ts';

/** `sluice keys …` */
export const keyCommands: ResourceCommands<NamePorts, KeyRecord, keyof KeyRecord> = {
  group: 'keys',
  summary: 'Create and manage API keys.',
  target: { flags: '<id>', help: 'the key’s id, as listed' },
  empty: 'no keys',
  columns: {
    id: 'id',
    key: 'masked',
    label: 'label',
    member: 'memberId',
    project: 'projectId',
    organization: 'organizationId',
    'used usd': 'usage',
    'limit usd': formatLimits,
    state: describeState,
    expires: 'expiresAt',
    'last used': 'lastUsedAt',
  },
  distinguishing: ['project', 'organization'],
  commands: [
    {
      name: 'create',
      operation: 'create',
      summary: 'Create an API key. Its secret is shown only once.',
      examples: [
        'keys create --label "my laptop"',
        'keys create --label ci --limit 25 --recurring 5/day --expires 90d',
        'keys create --label laptop --member mem_…',
      ],
      format: formatSecret,
    },
    {
      name: 'list',
      operation: 'list',
      summary: 'List API keys.',
      examples: ['keys list', 'keys list --project prj_…'],
    },
    {
      name: 'rename',
      operation: 'update',
      inputs: ['label'],
      summary: 'Change the label of a key.',
      examples: ['keys rename key_… "my laptop"'],
      format: ({ id, label }) => [`${id} has the label ${label}`],
    },
    {
      name: 'rotate',
      operation: 'rotate',
      summary:
        'Replace the secret of a key; the new one is shown only once. The current secret stays valid for the grace period. A key has at most two secrets: one that an earlier rotation left valid becomes invalid.',
      examples: ['keys rotate key_…', 'keys rotate key_… --grace 7d', 'keys rotate key_… --now'],
      format: ({ secret, id, previousSecretExpiresAt: until }) => [
        secret,
        `${id}; this secret is not shown again; the previous secret ${
          until === undefined ? 'is no longer valid' : `is valid until ${formatTime(until)}`
        }`,
      ],
    },
    {
      name: 'expire',
      operation: 'update',
      inputs: ['expiresAt'],
      summary: 'Set when a key expires.',
      examples: ['keys expire key_… 30d', 'keys expire key_… 2030-01-31', 'keys expire key_… none'],
      format: ({ id, expiresAt }) => [
        expiresAt === undefined ? `${id} does not expire` : `${id} expires at ${formatTime(expiresAt)}`,
      ],
    },
    {
      name: 'disable',
      operation: 'update',
      inputs: [],
      fixed: { disabled: true },
      summary: 'Disable an API key at once.',
      examples: ['keys disable key_…'],
      format: ({ id }) => [`${id} is disabled`],
    },
    {
      name: 'enable',
      operation: 'update',
      inputs: [],
      fixed: { disabled: false },
      summary: 'Enable a disabled API key.',
      examples: ['keys enable key_…'],
      format: ({ id }) => [`${id} is enabled`],
    },
    {
      name: 'delete',
      operation: 'remove',
      summary: 'Delete an API key and its session tokens permanently. Its usage is kept.',
      examples: ['keys delete key_…'],
      format: ({ id }) => [`${id} is deleted`],
    },
    ...spendingCommands({ group: 'keys', what: 'a key', sample: 'key_…' }),
    rateLimitsCommand({ group: 'keys', what: 'a key', sample: 'key_…' }),
    routingCommand({ group: 'keys', what: 'a key', sample: 'key_…' }),
  ],
};

function describeState({ disabled, expiresAt = Infinity }: KeyRecord): string {
  if (disabled) return 'disabled';
  return expiresAt <= systemClock.now() ? 'expired' : 'enabled';
}
