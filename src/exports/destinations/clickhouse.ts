import type { ClickHouseSettings } from '../export-settings.ts';
import type { Destination, DestinationPorts } from '../destination.ts';
import { parseJsonObject } from '#base';
import { refuseStatus } from './refuse-status.ts';

/** Columns of text that have JSON in them (`deploy/clickhouse/schema.sql`). */
const JSON_COLUMNS = ['attempts', 'modifiers', 'cache_miss'];

/** Inserts batches over ClickHouse's HTTP interface. A repeated batch is recognized by its token, a repeated row by its key. */
export function createClickHouseDestination(
  settings: ClickHouseSettings,
  { send }: Pick<DestinationPorts, 'send'>,
): Destination {
  const { database, table, user, password } = settings;
  const credentials = {
    ...(user !== undefined && { 'x-clickhouse-user': user }),
    ...(password !== undefined && { 'x-clickhouse-key': password }),
  };
  return {
    deliver: async ({ id, lines }) => {
      const url = new URL(settings.url);
      url.searchParams.set('query', `INSERT INTO "${database}"."${table}" FORMAT JSONEachRow`);
      url.searchParams.set('insert_deduplication_token', id);
      url.searchParams.set('input_format_skip_unknown_fields', '1');
      url.searchParams.set('date_time_input_format', 'best_effort');
      url.searchParams.set('async_insert', '0');
      refuseStatus(
        await send({
          method: 'POST',
          url: url.href,
          headers: { ...credentials, 'content-type': 'application/x-ndjson' },
          body: `${lines.map(flatten).join('\n')}\n`,
        }),
      );
      return undefined;
    },
  };
}

function flatten(line: string): string {
  const row = parseJsonObject(line) ?? {};
  for (const name of JSON_COLUMNS) row[name] = JSON.stringify(row[name] ?? null);
  return JSON.stringify(row);
}
