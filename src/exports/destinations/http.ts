import type { HttpSettings } from '../export-settings.ts';
import type { Batch, Destination, DestinationPorts } from '../destination.ts';
import { signWebhook } from '#webhooks';
import { refuseStatus } from './refuse-status.ts';

const JSON_TYPE = 'application/json';
const NDJSON_TYPE = 'application/x-ndjson';

/** Posts batches to an endpoint, signed per Standard Webhooks. */
export function createHttpDestination(
  settings: HttpSettings,
  { clock, send }: Pick<DestinationPorts, 'clock' | 'send'>,
): Destination {
  const isJson = settings.format === 'json';
  return {
    deliver: async (batch) => {
      const body = isJson ? composeBody(settings.name, batch) : `${batch.lines.join('\n')}\n`;
      const timestamp = Math.floor(clock.now() / 1_000);
      const { secret } = settings;
      const signed = secret === undefined ? {} : signWebhook(secret, { id: batch.id, timestamp, body });
      const headers = {
        ...settings.headers,
        'content-type': isJson ? JSON_TYPE : NDJSON_TYPE,
        'webhook-id': batch.id,
        ...signed,
      };
      refuseStatus(await send({ method: 'POST', url: settings.url, headers, body }));
      return undefined;
    },
  };
}

/** The rows are JSON already. */
function composeBody(name: string, { lastAt, lines }: Batch): string {
  const timestamp = new Date(lastAt).toISOString();
  const head = JSON.stringify({ type: 'logs.settled', timestamp, export: name });
  return `${head.slice(0, -1)},"data":[${lines.join(',')}]}`;
}
