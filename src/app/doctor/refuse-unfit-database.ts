import type { Database } from '#storage';
import { refuseOldServer } from './server-version.ts';

interface Fitness {
  user: string;
  /** Absent if no schema of the search path exists. */
  schema: string | null;
  encoding: string;
  isReplica: boolean;
  isReadOnly: boolean;
  mayCreate: boolean | null;
}

const READ = `
  SELECT current_user AS user, current_schema() AS schema, current_setting('server_encoding') AS encoding,
    pg_is_in_recovery() AS "isReplica", current_setting('transaction_read_only') = 'on' AS "isReadOnly",
    has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate"`;

/** Throws with what to do if no installation can be in this database. */
export async function refuseUnfitDatabase(database: Database): Promise<void> {
  await refuseOldServer(database);
  const { rows } = await database.query<Fitness>({ text: READ });
  const fault = rows[0] && findFault(rows[0]);
  if (fault !== undefined) throw new Error(fault);
}

function findFault({
  user,
  schema,
  encoding,
  isReplica,
  isReadOnly,
  mayCreate,
}: Fitness): string | undefined {
  if (encoding !== 'UTF8')
    return `the database has the encoding ${encoding}; create one with ENCODING 'UTF8' TEMPLATE template0`;
  if (isReplica) return 'the database is a replica, which can only be read; name its primary';
  if (isReadOnly)
    return `the database takes no changes from ${user}; switch off default_transaction_read_only`;
  if (schema === null)
    return 'no schema of the search_path exists in the database; create one, or correct search_path';
  if (mayCreate !== true)
    return `the user ${user} may not create tables in the database; GRANT CREATE ON SCHEMA ${schema} TO ${user}`;
  return undefined;
}
