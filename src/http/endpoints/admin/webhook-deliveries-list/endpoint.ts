import { Type } from 'typebox';
import { encodeTime } from '#base';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { orNull, timeShape } from '../../../admin/fields.ts';
import { findTenant } from '../../../admin/find-tenant.ts';

const MOST = 100;

export const listWebhookDeliveriesEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/webhook_deliveries',
  summary: 'List the latest messages about videos to the webhooks of projects, and what became of them.',
  scope: 'accounts:read',
  query: {
    organization_id: 'Only of projects of this organization.',
    project_id: 'Only of this project.',
  },
  answer: {
    description: `The latest first, ${MOST} at most.`,
    schema: Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(
        Type.Object({
          object: Type.Literal('webhook_delivery'),
          id: Type.String({ description: 'The `webhook-id` of the message.' }),
          type: Type.String({ description: 'Such as `video.completed`.' }),
          video_id: Type.String(),
          project_id: Type.String(),
          created_at: timeShape,
          attempts: Type.Integer(),
          outcome: Type.Enum(['delivered', 'abandoned', 'waiting']),
          next_attempt_at: orNull(timeShape, 'Null unless it waits.'),
        }),
      ),
    }),
  },
  needs: ['videos'],
  handle: async ({ caller, query }, { videos }) => {
    const tenant = findTenant(caller, query);
    if (!tenant) return { object: 'list', data: [] };
    const { organizationId } = tenant;
    const { project_id: projectId } = query;
    const deliveries = await videos.listDeliveries({
      ...(organizationId !== undefined && { organizationId }),
      ...(projectId !== undefined && { projectId }),
      limit: MOST,
    });
    return {
      object: 'list',
      data: deliveries.map(({ id, type, jobId, projectId, createdAt, attempts, outcome, nextAt }) => ({
        object: 'webhook_delivery',
        id,
        type,
        video_id: jobId,
        project_id: projectId,
        created_at: encodeTime(createdAt),
        attempts,
        outcome,
        next_attempt_at: nextAt === undefined ? null : encodeTime(nextAt),
      })),
    };
  },
});
