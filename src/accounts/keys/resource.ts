import { formatTime, formatUsd, systemClock } from '#base';
import type { RateLimitBook } from '../limits/rate-limits.ts';
import { formatLimits, formatRecurring, sayOnce } from '../resource/describe.ts';
import { orNone, orNull } from '../resource/field-type.ts';
import { rateLimitsCommand } from '../resource/rate-limits-command.ts';
import { filter, maybe, needed, resourceOf } from '../resource/resource.ts';
import {
  AMOUNT,
  end,
  endOrNever,
  firstRateLimits,
  flag,
  idOf,
  name,
  rateLimits,
  recurringLimit,
  seconds,
  shown,
  time,
  usd,
} from '../resource/types.ts';
import type { KeyBook, KeyRecord, NewKey } from './key-record.ts';

const DAY = 86_400;
const MOST_GRACE = 90 * DAY;

const { define, operation } = resourceOf<{ directory: KeyBook & RateLimitBook }, KeyRecord>();

const create = operation({
  summary: 'Make an API key; its text (`secret`) is shown in this answer and never again.',
  answer: 'The key with its text.',
  kind: 'secret',
  input: {
    projectId: needed(idOf('project', 'its project'), {
      as: '--project <id>',
      help: 'the project it belongs to (default: the first)',
      first: 'project',
    }),
    label: needed(name, { as: '--label <text>', help: 'what the key is for', fallback: { value: 'key' } }),
    limit: maybe(usd, { as: '--limit <usd>', help: 'the most it may ever spend' }),
    recurringLimit: maybe(recurringLimit, {
      as: '--recurring <usd/period>',
      help: 'the most it may spend per hour, day, week or month',
    }),
    rateLimits: maybe(firstRateLimits),
    memberId: maybe(idOf('member', 'a member of the organization'), {
      as: '--member <id>',
      help: 'the member it belongs to, as `members list` shows it',
    }),
    expiresAt: maybe(end, { as: '--expires <when>', help: 'when it ends: 30d, 2027-01-31 (UTC)' }),
  },
  run: async ({ directory, input }) => withSecret(await directory.createKey(input)),
});

const list = operation({
  summary: 'List API keys, oldest first, never with their text.',
  answer: 'A page of keys.',
  kind: 'page',
  input: {
    organizationId: filter(idOf('organization', 'an organization'), 'Only keys of this organization.', {
      as: '--org <id>',
      help: 'only keys of this organization',
    }),
    projectId: filter(idOf('project', 'a project'), 'Only keys of this project.', {
      as: '--project <id>',
      help: 'only keys of this project',
    }),
    memberId: filter(idOf('member', 'a member'), '', {
      as: '--member <id>',
      help: 'only keys of this member',
    }),
  },
  run: ({ directory, input, page }) => directory.listKeys({ ...input, ...page }),
});

const update = operation({
  summary: 'Disable or enable an API key, or change its limits or its end: all of what is named, or nothing.',
  answer: 'The key as it is now.',
  kind: 'one',
  input: {
    disabled: maybe(flag('true to disable the key at once, false to enable it')),
    limit: maybe(orNone(usd, `${AMOUNT}, or null for no limit`), {
      as: '<usd>',
      help: 'an amount of USD, or none',
    }),
    recurringLimit: maybe(orNone(recurringLimit, 'an object of amount and period, or null for no limit'), {
      as: '<usd/period>',
      help: 'an amount of USD per period, or none',
    }),
    rateLimits: maybe(rateLimits),
    expiresAt: maybe(endOrNever, {
      as: '<when>',
      help: 'a day or a time to come (UTC), a length of time from now, or none',
    }),
  },
  run: async ({ directory, id, input }) => {
    const { disabled, limit, expiresAt } = input;
    if (disabled !== undefined) await (disabled ? directory.disableKey(id) : directory.enableKey(id));
    if (limit !== undefined) await directory.setKeyLimit(id, limit);
    if (input.recurringLimit !== undefined) await directory.setRecurringLimit(id, input.recurringLimit);
    if (expiresAt !== undefined) await directory.setKeyExpiry(id, expiresAt);
    if (input.rateLimits) await directory.setKeyRateLimits(id, input.rateLimits);
    return directory.getKey(id);
  },
});

const rotate = operation({
  summary:
    'Give an API key a new text, shown in this answer and never again; the present one opens for a grace.',
  answer: 'The key with its new text.',
  kind: 'secret',
  input: {
    graceSeconds: maybe(
      seconds({
        least: 0,
        most: MOST_GRACE,
        expected: `a whole number of seconds from 0 to ${MOST_GRACE}; a day unless given`,
      }),
      {
        as: '--grace <time>',
        help: 'how long the present secret still opens, at most 90d',
        fallback: { value: DAY, shown: '24h' },
        shortcuts: { '--now': { value: 0, help: 'the present secret no longer opens at all' } },
      },
    ),
  },
  run: async ({ directory, id, input: { graceSeconds = DAY } }) =>
    withSecret(await directory.rotateKey(id, { graceMs: graceSeconds * 1000 })),
});

export const keyResource = define({
  name: 'key',
  path: 'keys',
  scope: 'accounts',
  fields: {
    organizationId: shown(),
    projectId: shown(),
    memberId: orNull(shown()),
    label: shown(),
    masked: shown('`slc_…abcd`'),
    disabled: flag('true or false'),
    usage: usd,
    limit: orNull(usd),
    recurringLimit: orNull(recurringLimit),
    rateLimits,
    createdAt: time,
    expiresAt: orNull(time),
    previousSecretExpiresAt: orNull(time),
    lastUsedAt: orNull(time),
  },
  operations: {
    create,
    list,
    get: operation({
      summary: 'An API key, never with its text.',
      answer: 'The key.',
      kind: 'one',
      input: {},
      run: ({ directory, id }) => directory.getKey(id),
    }),
    update,
    rotate,
    remove: operation({
      summary: 'Delete an API key for good; what it used stays in the books.',
      answer: 'It is gone.',
      kind: 'gone',
      input: {},
      run: ({ directory, id }) => directory.deleteKey(id),
    }),
  },
  commands: {
    group: 'keys',
    summary: 'Create and manage API keys.',
    naming: { as: '<id>', help: 'the key’s id, as listed' },
    empty: 'no keys',
    columns: {
      id: 'id',
      key: 'masked',
      label: 'label',
      member: 'memberId',
      'used usd': 'usage',
      'limit usd': formatLimits,
      state: describeState,
      expires: 'expiresAt',
      'last used': 'lastUsedAt',
    },
    commands: [
      {
        name: 'create',
        does: 'create',
        summary: 'Create an API key; its text is shown this once.',
        examples: [
          'keys create --label "my laptop"',
          'keys create --label ci --limit 25 --recurring 5/day --expires 90d',
          'keys create --label laptop --member mem_…',
        ],
        says: sayOnce,
      },
      {
        name: 'list',
        does: 'list',
        summary: 'List API keys.',
        examples: ['keys list', 'keys list --project prj_…'],
      },
      {
        name: 'rotate',
        does: 'rotate',
        summary:
          'Give a key a new secret, shown this once. The present secret opens for the grace; one that a rotation before left in its grace no longer does: a key has two secrets at most.',
        examples: ['keys rotate key_…', 'keys rotate key_… --grace 7d', 'keys rotate key_… --now'],
        says: ({ secret, id, previousSecretExpiresAt: until }) => [
          secret,
          `${id}, shown only this once; the secret before ${
            until === undefined ? 'no longer opens' : `opens until ${formatTime(until)}`
          }`,
        ],
      },
      {
        name: 'expire',
        does: 'update',
        takes: ['expiresAt'],
        summary: 'Set when a key ends.',
        examples: ['keys expire key_… 30d', 'keys expire key_… 2027-01-31', 'keys expire key_… none'],
        says: ({ id, expiresAt }) => [
          expiresAt === undefined ? `${id} does not expire` : `${id} expires at ${formatTime(expiresAt)}`,
        ],
      },
      {
        name: 'disable',
        does: 'update',
        takes: [],
        sets: { disabled: true },
        summary: 'Disable an API key at once.',
        examples: ['keys disable key_…'],
        says: ({ id }) => [`${id} is disabled`],
      },
      {
        name: 'enable',
        does: 'update',
        takes: [],
        sets: { disabled: false },
        summary: 'Enable a disabled API key.',
        examples: ['keys enable key_…'],
        says: ({ id }) => [`${id} is enabled`],
      },
      {
        name: 'delete',
        does: 'remove',
        summary:
          'Delete an API key for good, and with it its session tokens; what it used stays in the books.',
        examples: ['keys delete key_…'],
        says: ({ id }) => [`${id} is deleted`],
      },
      {
        name: 'limit',
        does: 'update',
        takes: ['limit'],
        summary: 'Set the most a key may ever spend; `keys recurring` sets what it may spend per period.',
        examples: ['keys limit key_… 25', 'keys limit key_… none'],
        says: ({ id, limit }) => [
          `${id} ${limit === null ? 'has no limit' : `may spend ${formatUsd(limit)} USD`}`,
        ],
      },
      {
        name: 'recurring',
        does: 'update',
        takes: ['recurringLimit'],
        summary:
          'Set the most a key may spend per hour, day, week or month. What was used in the period stays used.',
        examples: ['keys recurring key_… 5/day', 'keys recurring key_… none'],
        says: ({ id, recurringLimit: recurring }) => [
          recurring === null
            ? `${id} has no recurring limit`
            : `${id} may spend ${formatRecurring(recurring) ?? ''} USD`,
        ],
      },
      rateLimitsCommand({ group: 'keys', what: 'a key', sample: 'key_…' }),
    ],
  },
});

function describeState({ disabled, expiresAt = Infinity }: KeyRecord): string {
  if (disabled) return 'disabled';
  return expiresAt <= systemClock.now() ? 'expired' : 'enabled';
}

function withSecret({ secret, key }: NewKey): KeyRecord & { secret: string } {
  return { ...key, secret };
}
