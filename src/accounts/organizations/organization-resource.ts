import { formatUsd } from '#base';
import { PLAN_TIERS } from '../plans/plan-terms.ts';
import { orNull } from '../resource/field-type.ts';
import { rateLimitsCommand } from '../resource/rate-limits-command.ts';
import { maybe, needed, resourceOf } from '../resource/resource.ts';
import { name, rateLimits, shown, time, usd, word } from '../resource/types.ts';
import type { Directory, Organization } from './directory.ts';

const { define, operation } = resourceOf<{ directory: Directory }, Organization>();

export const organizationResource = define({
  name: 'organization',
  path: 'organizations',
  scope: 'accounts',
  fields: {
    name: shown(),
    plan: word([...PLAN_TIERS, 'none']),
    usage: usd,
    balance: orNull(usd, 'Credits left; null while the organization is not metered.'),
    rateLimits,
    createdAt: time,
  },
  operations: {
    create: operation({
      summary: 'Create an organization, which has one balance.',
      answer: 'The organization.',
      kind: 'one',
      input: { name: needed(name, { as: '<name>', help: 'what it is called' }) },
      run: ({ directory, input }) => directory.createOrganization(input.name),
    }),
    list: operation({
      summary: 'List organizations, oldest first.',
      answer: 'A page of organizations.',
      kind: 'page',
      input: {},
      run: ({ directory, page }) => directory.listOrganizations(page),
    }),
    get: operation({
      summary: 'An organization.',
      answer: 'The organization.',
      kind: 'one',
      input: {},
      run: ({ directory, id }) => directory.getOrganization(id),
    }),
    update: operation({
      summary: 'Change what all keys of an organization together may do at most.',
      answer: 'The organization as it is now.',
      kind: 'one',
      input: { rateLimits: maybe(rateLimits) },
      run: async ({ directory, id, input }) => {
        if (input.rateLimits) await directory.setOrganizationRateLimits(id, input.rateLimits);
        return directory.getOrganization(id);
      },
    }),
  },
  commands: {
    group: 'orgs',
    summary: 'Create organizations, look at them and limit them.',
    naming: { as: '<id>', help: 'the id of an organization, as listed' },
    empty: 'no organizations',
    columns: {
      id: 'id',
      name: 'name',
      plan: 'plan',
      'used usd': 'usage',
      'balance usd': ({ balance }) => (balance === undefined ? 'not metered' : formatUsd(balance)),
    },
    commands: [
      {
        name: 'create',
        does: 'create',
        summary: 'Create an organization; it shares one balance of credits.',
        examples: ['orgs create "Acme Inc."'],
        says: ({ id }) => [id],
      },
      { name: 'list', does: 'list', examples: ['orgs list'] },
      rateLimitsCommand({ group: 'orgs', what: 'an organization', sample: 'org_…' }),
    ],
  },
});
