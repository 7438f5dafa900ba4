import { encodeBill } from '#logs';
import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { orNull, usdShape } from '../../../admin/fields.ts';
import { getLog } from '../../../admin/get-log.ts';

const text = orNull(Type.String());

const lineShape = Type.Object({
  part: Type.String({
    description:
      'A part of `usage`, `request`, a unit such as `image`, or a field that multiplies the price of the tokens above it.',
  }),
  detail: orNull(Type.String(), 'The kind of a unit, or the billed value of a field.'),
  provider_id: orNull(
    Type.String(),
    'The provider that billed it; null if a row of an earlier version does not name it.',
  ),
  model: text,
  price_version: Type.String(),
  units: orNull(Type.Number(), 'Null for a factor.'),
  price: orNull(usdShape, 'For `per` units; null for a factor.'),
  per: Type.Integer({
    description: 'How many units the price is for: a million tokens, an hour in ms, or 1.',
  }),
  factor: orNull(Type.String({ description: 'A decimal such as `1.1`.' })),
  amount: Type.String({ description: 'USD: units × price ÷ per, or what a factor adds.' }),
});

export const getBillEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/logs/{id}/bill',
  summary: 'What a request cost, line by line, at the prices it was charged at.',
  scope: 'logs:read',
  answer: {
    description: 'The lines and their sum.',
    schema: Type.Object(
      {
        object: Type.Literal('bill'),
        id: Type.String({ description: 'The id of the request.' }),
        price_version: text,
        price_known: Type.Boolean({ description: 'Whether the prices of the request are known.' }),
        estimated: Type.Boolean({ description: 'Whether the gateway estimated the usage.' }),
        cached: Type.Boolean({ description: 'Whether it was replayed from the response cache.' }),
        own_key: Type.Boolean({ description: 'Whether the provider billed the organization’s own key.' }),
        lines: Type.Array(lineShape, {
          description: 'None if the request was free or its prices are unknown.',
        }),
        total: usdShape,
        cost: Type.String({
          description:
            'USD charged. Below the total, the operator pays the rest; above, there were several generations.',
        }),
        provider_cost: Type.Optional(usdShape),
      },
      { title: 'Bill' },
    ),
  },
  isForMembers: true,
  needs: ['explainBill', 'logs'],
  handle: async (request, { explainBill, logs }) => {
    const row = await getLog(request, logs);
    return encodeBill(row, await explainBill(row), request.caller.organizationId === undefined);
  },
});
