import {
  choice,
  filter,
  named,
  nullableOutput,
  number,
  objectOf,
  outputText,
  reportOf,
  text,
  time,
  wholeList,
} from '#fields';
import type { DeliveryFilter, WebhookDelivery } from './event-store.ts';

const MOST = 100;

const delivery = objectOf<WebhookDelivery>()(
  {
    id: outputText('The `webhook-id` of the message.'),
    type: outputText('Such as `video.completed`.'),
    jobId: named('video_id', outputText()),
    projectId: outputText(),
    createdAt: time,
    attempts: number(),
    outcome: choice(['delivered', 'abandoned', 'waiting']),
    nextAt: named('next_attempt_at', nullableOutput(time, 'Null unless it waits.')),
  },
  { name: 'webhook_delivery' },
);

export interface DeliveryPorts {
  listDeliveries(filter: DeliveryFilter): Promise<WebhookDelivery[]>;
}

export const webhookDeliveriesReport = reportOf<DeliveryPorts>()({
  path: 'webhook_deliveries',
  summary: 'List the latest messages about videos to the webhooks of projects, and what became of them.',
  scope: 'accounts:read',
  filters: {
    organizationId: filter(text(), 'Only of projects of this organization.'),
    projectId: filter(text(), 'Only of this project.'),
  },
  answer: `The latest first, ${MOST} at most.`,
  output: wholeList(delivery),
  read: ({ listDeliveries, input }) => listDeliveries({ ...input, limit: MOST }),
  findNothing: () => [],
});
