import type { Destination, DestinationPorts } from './destination.ts';
import type { ExportSettings } from './export-settings.ts';
import { createClickHouseDestination } from './destinations/clickhouse.ts';
import { createFileDestination } from './destinations/file.ts';
import { createHttpDestination } from './destinations/http.ts';
import { createS3Destination } from './destinations/s3.ts';
import { listSecrets } from './list-secrets.ts';

/** A receiver that refuses a batch may quote what it was sent. */
export function openDestination(settings: ExportSettings, ports: DestinationPorts): Destination {
  const redact = ports.createRedactor(listSecrets(settings));
  return open(settings, {
    ...ports,
    send: async (request) => {
      const { status, text } = await ports.send(request);
      return { status, text: redact(text) };
    },
  });
}

function open(settings: ExportSettings, ports: DestinationPorts): Destination {
  switch (settings.type) {
    case 'file':
      return createFileDestination(settings);
    case 'http':
      return createHttpDestination(settings, ports);
    case 's3':
      return createS3Destination(settings, ports);
    case 'clickhouse':
      return createClickHouseDestination(settings, ports);
  }
}
