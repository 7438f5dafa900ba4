import { type Database, type Queryable, openDatabase } from '#storage';
import { silentLog } from '#telemetry';
import { readAppliedMigrations } from '../backup/schema-state.ts';
import { readServerVersion } from '../doctor/server-version.ts';
import { openConnection, refuseUselessDirectory } from '../lifecycle/stores/open-connection.ts';
import type { StoreSettings } from '../settings/store-settings.ts';

const MOST_ERRORS = 200;

const SIZES = `
  SELECT c.relname AS name, pg_total_relation_size(c.oid)::float8 AS bytes,
    nullif(c.reltuples, -1)::float8 AS "estimatedRows"
  FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' ORDER BY 2 DESC`;

const PROCESSES = `
  SELECT epoch::text AS epoch, note, heartbeat_at AS "heartbeatAt",
    (SELECT count(*) FROM hold h WHERE h.owner_epoch = o.epoch)::int AS holds
  FROM owner o ORDER BY epoch`;

/** Without messages, which may quote what clients or providers sent. */
const ERRORS = `
  SELECT started_at AS "startedAt", request_id AS "requestId", endpoint, model_id AS "modelId", provider_id AS "providerId",
    finish_reason AS "finishReason", status, error_code AS "errorCode", duration_ms AS "durationMs",
    jsonb_path_query_array(attempts, '$[*].outcome') AS outcomes
  FROM request_log
  WHERE finish_reason IN ('gateway_error', 'upstream_error') AND started_at > now() - interval '7 days'
  ORDER BY started_at DESC LIMIT ${MOST_ERRORS}`;

const COUNTS = `
  SELECT finish_reason AS "finishReason", error_code AS "errorCode", provider_id AS "providerId", count(*)::int AS requests
  FROM request_log WHERE started_at > now() - interval '7 days' AND error_code IS NOT NULL
  GROUP BY 1, 2, 3 ORDER BY 4 DESC LIMIT 100`;

/** What a bundle contains about a database; it is not migrated. */
export async function describeDatabase(settings: StoreSettings): Promise<Record<string, unknown>> {
  await using opened = new AsyncDisposableStack();
  refuseUselessDirectory(settings, { role: 'command' });
  const connection = await openConnection(settings, { role: 'command', log: silentLog }, opened);
  const database = openDatabase({ connection, applicationName: 'sluice command', maxConnections: 1 });
  opened.defer(() => database.close());
  return {
    server: await readServerVersion(database),
    migrations: await readMigrationsOf(database),
    tables: await tryList(database, SIZES),
    processes: await tryList(database, PROCESSES),
    recentErrors: await tryList(database, ERRORS),
    errorsOfTheWeek: await tryList(database, COUNTS),
  };
}

async function readMigrationsOf(database: Database): Promise<unknown> {
  if ((await readAppliedMigrations(database)) === undefined) return [];
  return tryList(database, 'SELECT name, applied_at AS "appliedAt" FROM schema_migration ORDER BY name');
}

/** A schema of another version may lack a column; the rest of the bundle is then still of use. */
async function tryList(database: Queryable, text: string): Promise<unknown> {
  try {
    return (await database.query({ text })).rows;
  } catch (error) {
    return { unavailable: error instanceof Error ? error.message : '' };
  }
}
