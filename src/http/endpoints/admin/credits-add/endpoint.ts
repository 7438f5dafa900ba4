import { Type } from 'typebox';
import { formatUsd } from '#base';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { amountField, closed, readAmount, usdShape } from '../../../admin/fields.ts';

export const addCreditsEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/organizations/{id}/credits',
  summary: 'Add credits to an organization; from its first credits on it can spend no more than it has.',
  task: 'money:write',
  body: closed({
    amount: amountField,
    grant: Type.Optional(
      Type.String({
        description: 'a name of the payment, such as "invoice-17": it is credited once, for ever',
      }),
    ),
  }),
  answer: {
    description: 'What the organization has left.',
    schema: Type.Object({
      object: Type.Literal('credits'),
      organization_id: Type.String(),
      balance: usdShape,
    }),
  },
  handle: async ({ directory, id, body: { amount, grant } }) => {
    const { balance } = await directory.addCredits({
      organizationId: id,
      amount: readAmount('amount', amount),
      ...(grant !== undefined && { idempotencyKey: grant }),
    });
    return { object: 'credits', organization_id: id, balance: formatUsd(balance) };
  },
});
