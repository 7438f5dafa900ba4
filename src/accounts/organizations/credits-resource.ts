import { type PicoUsd, formatUsd } from '#base';
import { named } from '../resource/field-type.ts';
import { maybe, needed, resourceOf } from '../resource/resource.ts';
import { shown, text, usd } from '../resource/types.ts';
import type { Directory } from './directory.ts';

interface Credits {
  organizationId: string;
  balance: PicoUsd;
}

const { define, operation } = resourceOf<{ directory: Directory }, Credits>();

export const creditsResource = define({
  name: 'credits',
  path: 'organizations/{id}/credits',
  scope: 'money',
  fields: { organizationId: shown(), balance: usd },
  operations: {
    update: operation({
      summary: 'Add credits to an organization; from its first credits on it can spend no more than it has.',
      answer: 'What the organization has left.',
      kind: 'one',
      input: {
        amount: needed(usd, { as: '<usd>', help: 'the amount in USD' }),
        idempotencyKey: maybe(
          named('grant', text('a name of the payment, such as "invoice-17": it is credited once, for ever')),
          {
            as: '--idempotency-key <text>',
            help: 'adds once however often the command is repeated',
            or: [{ as: '--id <text>', help: 'the same as --idempotency-key' }],
          },
        ),
      },
      run: async ({ directory, id, input }) => ({
        organizationId: id,
        ...(await directory.addCredits({ organizationId: id, ...input })),
      }),
    }),
  },
  commands: {
    group: 'credits',
    summary: 'Manage credits.',
    naming: { as: '--org <id>', help: 'the organization, as `orgs list` shows it' },
    empty: '',
    columns: {},
    commands: [
      {
        name: 'add',
        does: 'update',
        examples: ['credits add --org org_… 50', 'credits add --org org_… 50 --id invoice-17'],
        says: ({ organizationId, balance }) => [
          `${organizationId} has ${formatUsd(balance)} USD of credits left`,
        ],
      },
    ],
  },
});
