import type { Destination, DestinationPorts } from './destination.ts';
import type { ExportSettings } from './export-settings.ts';
import { createClickHouseDestination } from './destinations/clickhouse.ts';
import { createFileDestination } from './destinations/file.ts';
import { createHttpDestination } from './destinations/http.ts';
import { createS3Destination } from './destinations/s3.ts';

export function openDestination(settings: ExportSettings, ports: DestinationPorts): Destination {
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
