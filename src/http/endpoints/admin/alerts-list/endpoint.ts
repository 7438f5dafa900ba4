import { encodeTime } from '#base';
import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { timeShape } from '../../../admin/fields.ts';
import { requireAll } from '../../../admin/of-all.ts';

const MOST = 100;
const dataShape = Type.Object({}, { additionalProperties: true });

export const listAlertsEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/alerts',
  summary: 'List what operators are alerted to: conditions that last, and the latest alerts.',
  scope: 'operations:read',
  answer: {
    description: 'The latest first, 100 of each at most.',
    schema: Type.Object({
      object: Type.Literal('list'),
      conditions: Type.Array(
        Type.Object({
          object: Type.Literal('condition'),
          name: Type.String({ description: 'Such as `provider/openai`.' }),
          since: timeShape,
          data: dataShape,
        }),
      ),
      data: Type.Array(
        Type.Object({
          object: Type.Literal('alert'),
          id: Type.String(),
          type: Type.String(),
          created_at: timeShape,
          attempts: Type.Integer(),
          outcome: Type.Enum(['delivered', 'abandoned', 'waiting']),
          data: dataShape,
        }),
      ),
    }),
  },
  needs: ['operations'],
  handle: async ({ caller }, { operations }) => {
    requireAll(caller, 'alerts are those of all');
    const { conditions, alerts } = await operations.alerts(MOST);
    return {
      object: 'list',
      conditions: conditions.map(({ since, ...condition }) => ({
        object: 'condition',
        ...condition,
        since: encodeTime(since),
      })),
      data: alerts.map(({ createdAt, ...alert }) => ({
        object: 'alert',
        ...alert,
        created_at: encodeTime(createdAt),
      })),
    };
  },
});
