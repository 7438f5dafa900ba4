import type { JsonObject } from '#base';
import type { WebhookMessage } from '#webhooks';
import type { VideoEvent } from './event-store.ts';
import { deriveWebhookSecret } from './derive-secret.ts';

/** The message of an event; the video as its project sees it is absent if it was deleted. */
export function composeMessage(
  { id, type, jobId, createdAt, webhook }: VideoEvent,
  { secret, video }: { secret: Uint8Array; video: JsonObject | undefined },
): WebhookMessage {
  return {
    url: webhook.url,
    secret: deriveWebhookSecret(secret, webhook.projectId, webhook.secretVersion),
    body: JSON.stringify({
      id,
      object: 'event',
      type,
      created_at: Math.floor(createdAt / 1_000),
      data: video ?? { id: jobId },
    }),
  };
}
