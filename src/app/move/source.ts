import { type Migration, type Queryable, findInstanceValue, readMigrations } from '#storage';
import { findSteps, readAppliedMigrations } from '../backup/schema-state.ts';
import { listTables } from '../backup/table.ts';
import type { Side } from './side.ts';

const RUNNING = `
  SELECT note FROM owner WHERE heartbeat_at > clock_timestamp() - interval '30 seconds' ORDER BY epoch LIMIT 1`;

/** The migrations that lead to the schema of a source. */
export async function findSourceSteps({ database, name }: Side): Promise<Migration[]> {
  const applied = await readAppliedMigrations(database);
  if (applied === undefined) throw new Error(`${name} is empty; there is nothing to move`);
  const steps = findSteps(applied, await readMigrations());
  if (steps) return steps;
  throw new Error(
    `the schema of ${name} is not one of this version (its last migration is ${applied.at(-1)?.name ?? 'none'}); ` +
      'move it with the version of Sluice that runs on it',
  );
}

/** From here on, neither gateways nor commands can write to the source until its transaction ends. */
export async function lockSource({ session, settings }: Side): Promise<void> {
  const isShared = settings.databaseUrl !== undefined;
  if (isShared) await refuseRunning(session);
  const names = [...(await listTables(session)).map((table) => table.name), 'owner'];
  await session.query({ text: `SET lock_timeout = '30s'` });
  await session.query({ text: 'BEGIN ISOLATION LEVEL REPEATABLE READ' });
  await session.query({ text: `LOCK TABLE ${names.join(', ')} IN SHARE MODE` });
  if (isShared) await refuseRunning(session);
}

async function refuseRunning(session: Queryable): Promise<void> {
  const { rows } = await session.query<{ note: string }>({ text: RUNNING });
  if (rows[0])
    throw new Error(
      `a gateway (${rows[0].note}) runs on the database, or did until 30 seconds ago; stop all of them, then move it`,
    );
}

/** The name of the source in the records of its journals. */
export async function findInstallationId({ database, name }: Side): Promise<string> {
  const id = await findInstanceValue(database, 'installation_id');
  if (id !== undefined) return id;
  throw new Error(`no gateway has ever run on ${name}; there is nothing to move`);
}
