import { createHmac } from 'node:crypto';

/** The signing secret of a project's webhook, derived from the installation's and not stored. */
export function deriveWebhookSecret(installation: Uint8Array, projectId: string, version: number): string {
  const key = createHmac('sha256', installation)
    .update(`sluice video webhook 1 ${projectId} ${version}`)
    .digest();
  return `whsec_${key.toString('base64')}`;
}
