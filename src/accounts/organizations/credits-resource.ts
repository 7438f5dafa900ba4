import { named, optional, outputText, positiveUsd, required, text, usd } from '#fields';
import { type PicoUsd, formatUsd } from '#base';
import { resourceOf } from '../resource/resource.ts';
import { type CreditStore, addCredits } from '../ledger/add-credits.ts';

interface Credits {
  organizationId: string;
  balance: PicoUsd;
}

const { define, operation } = resourceOf<{ directory: CreditStore }, Credits>();

export const creditsResource = define({
  name: 'credits',
  path: 'organizations/{id}/credits',
  scope: 'money',
  owner: 'id',
  store: ({ database }): CreditStore => ({ addCredits: (grant) => addCredits(database, grant) }),
  fields: { organizationId: outputText(), balance: usd },
  operations: {
    update: operation({
      summary: 'Add credits to an organization. After the first credits, it can spend no more than it has.',
      answer: 'The remaining balance.',
      kind: 'one',
      input: {
        amount: required(positiveUsd, { flags: '<usd>', help: 'the amount in USD' }),
        idempotencyKey: optional(
          named('grant', text('a name for the payment, such as "invoice-17"; each name is credited once')),
          {
            flags: '--idempotency-key <text>',
            help: 'credit only once, even if the command is repeated',
            alternatives: [{ flags: '--id <text>', help: 'the same as --idempotency-key' }],
          },
        ),
      },
      example: { amount: '12.50' },
      run: async ({ directory, id, input }) => ({
        organizationId: id,
        ...(await directory.addCredits({ organizationId: id, ...input })),
      }),
    }),
  },
  commands: {
    group: 'credits',
    summary: 'Manage credits.',
    target: { flags: '--org <id>', help: 'the organization, as `orgs list` shows it' },
    empty: '',
    columns: {},
    commands: [
      {
        name: 'add',
        operation: 'update',
        examples: ['credits add --org org_… 50', 'credits add --org org_… 50 --id invoice-17'],
        format: ({ organizationId, balance }) => [
          `${organizationId} has ${formatUsd(balance)} USD of credits left`,
        ],
      },
    ],
  },
});
