import { createHmac } from 'node:crypto';

/** The inputs of the signature of one delivery. */
interface Delivery {
  id: string;
  /** Seconds since the Unix epoch. */
  timestamp: number;
  body: string | Uint8Array;
}

/** The headers of a delivery per Standard Webhooks, signed with a secret such as `whsec_…`. */
export function signWebhook(secret: string, { id, timestamp, body }: Delivery): Record<string, string> {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
}
