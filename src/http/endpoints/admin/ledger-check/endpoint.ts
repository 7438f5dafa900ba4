import { encodeLedgerCheck } from '#accounts';
import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { requireAll } from '../../../admin/of-all.ts';

const text = Type.String();

export const checkLedgerEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/ledger/check',
  summary:
    'Recompute the ledger: entries, meters, holds and log rows must agree, and every cost must be its usage at the prices it was charged at.',
  scope: 'money:read',
  answer: {
    description:
      'Whether they agree, and the figures that differ: some of each kind, then how many others there are.',
    schema: Type.Object({
      object: Type.Literal('ledger_check'),
      ok: Type.Boolean(),
      differences: Type.Array(Type.Object({ what: text, subject: text, expected: text, actual: text })),
      waiting: Type.Integer({ description: 'Settlements of this gateway that are not in the database yet.' }),
      lost: Type.String({ description: 'USD that crashed gateways may have lost, at the operator’s cost.' }),
    }),
  },
  needs: ['accounts'],
  handle: async ({ caller }, { accounts }) => {
    requireAll(caller, 'the ledger check covers all');
    const { ledger } = accounts;
    return encodeLedgerCheck({
      differences: await ledger.check(),
      waiting: ledger.unwritten,
      lost: await ledger.sumLost(),
    });
  },
});
