import { Type } from 'typebox';
import { encodeExport } from '#exports';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { requireAll } from '../../../admin/of-all.ts';
import { orNull, timeShape } from '../../../admin/fields.ts';

const exportShape = Type.Object({
  object: Type.Literal('export'),
  name: Type.String(),
  type: Type.String(),
  rows: Type.Integer({ description: 'Rows that it has delivered.' }),
  waiting: Type.Integer({ description: 'Rows that wait, or somewhat more.' }),
  lag_seconds: Type.Integer({ description: 'How long the oldest of them has been final.' }),
  exported_at: orNull(timeShape),
  failures: Type.Integer({ description: 'Attempts since the last success.' }),
  failing_since: orNull(timeShape),
  last_error: orNull(Type.String()),
});

export const listExportsEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/exports',
  summary: 'Show the progress of each export of log rows, and why one fails.',
  scope: 'logs:read',
  answer: {
    description: 'The exports.',
    schema: Type.Object({ object: Type.Literal('list'), data: Type.Array(exportShape) }),
  },
  needs: ['listExports'],
  handle: async ({ caller }, { listExports }) => {
    requireAll(caller, 'exports are those of all');
    return { object: 'list', data: (await listExports()).map(encodeExport) };
  },
});
