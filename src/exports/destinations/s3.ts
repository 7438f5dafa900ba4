import type { S3Settings } from '../export-settings.ts';
import type { Batch, Destination, DestinationPorts } from '../destination.ts';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { refuseStatus } from './refuse-status.ts';

const compress = promisify(gzip);
const POSITION_DIGITS = 15;

/** Puts each batch into an object of its own; a repeated batch has the same key. */
export function createS3Destination(
  settings: S3Settings,
  { send, signAws }: Pick<DestinationPorts, 'send' | 'signAws'>,
): Destination {
  const { region, keys } = settings;
  return {
    deliver: async (batch) => {
      const body = await compress(`${batch.lines.join('\n')}\n`);
      const request = {
        method: 'PUT' as const,
        url: `${composeBase(settings)}/${composeKey(settings, batch)}`,
        headers: { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
        body,
      };
      const headers = await signAws(request, { service: 's3', region, keys });
      refuseStatus(await send({ ...request, headers }));
      return undefined;
    },
  };
}

/** Amazon has a host per bucket; others are addressed by path. */
function composeBase({ endpoint, region, bucket }: S3Settings): string {
  return endpoint === undefined ? `https://${bucket}.s3.${region}.amazonaws.com` : `${endpoint}/${bucket}`;
}

function composeKey({ name, prefix }: S3Settings, { first, last, firstAt }: Batch): string {
  const day = new Date(firstAt).toISOString().slice(0, 10).replaceAll('-', '/');
  const span = [first, last].map((position) => String(position).padStart(POSITION_DIGITS, '0')).join('-');
  return `${prefix === '' ? '' : `${prefix}/`}${day}/${name}-${span}.ndjson.gz`;
}
