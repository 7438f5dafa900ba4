import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { requireAll } from '../../../admin/of-all.ts';

const text = Type.String();

export const checkLedgerEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/ledger/check',
  summary:
    'Recompute the ledger: entries, meters, holds and log rows must agree, and every cost must be its usage at the prices it was charged at.',
  task: 'money:read',
  answer: {
    description: 'Whether they agree, and every figure that differs.',
    schema: Type.Object({
      object: Type.Literal('ledger_check'),
      ok: Type.Boolean(),
      differences: Type.Array(Type.Object({ what: text, subject: text, expected: text, actual: text })),
    }),
  },
  needs: ['accounts'],
  handle: async ({ caller }, { accounts }) => {
    requireAll(caller, 'the books are those of all');
    const differences = await accounts.ledger.check();
    return {
      object: 'ledger_check',
      ok: differences.length === 0,
      differences: differences.map(({ what, subject, expected, actual }) => ({
        what,
        subject,
        expected,
        actual,
      })),
    };
  },
});
