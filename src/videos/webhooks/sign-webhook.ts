import { createHmac } from 'node:crypto';

/** What one delivery is signed with and for. */
interface Delivery {
  id: string;
  /** Seconds since the Unix epoch. */
  timestamp: number;
  body: string;
}

/** The signing secret of a project's webhook, derived from the installation's and not stored. */
export function deriveWebhookSecret(installation: Uint8Array, projectId: string, version: number): string {
  const key = createHmac('sha256', installation)
    .update(`sluice video webhook 1 ${projectId} ${version}`)
    .digest();
  return `whsec_${key.toString('base64')}`;
}

/** The headers of a delivery per Standard Webhooks. */
export function signWebhook(secret: string, { id, timestamp, body }: Delivery): Record<string, string> {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
}
