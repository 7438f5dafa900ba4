import type { ConnectionOptions } from '#storage';
import type { Log } from '#telemetry';
import type { StoreSettings } from '../../settings/store-settings.ts';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { connectEmbedded, openDataDirectory, startEmbeddedServer } from '#storage';
import { checkDirectory } from '../../doctor/diagnose-machine.ts';
import { SettingsError } from '../../settings/settings-problem.ts';

/** A gateway owns its data directory; a command opens it alongside a running gateway or without one. */
interface ConnectionUse {
  role: 'gateway' | 'command';
  log: Log;
  /** Aborts the start of an embedded server. */
  signal?: AbortSignal | undefined;
}

/** The database of an installation: its embedded server, which is started if needed, or an external one. */
export async function openConnection(
  { databaseUrl, dataDir }: StoreSettings,
  { role, log, signal }: ConnectionUse,
  opened: AsyncDisposableStack,
): Promise<ConnectionOptions> {
  if (databaseUrl !== undefined) {
    if (role === 'gateway') await openDataDirectory(dataDir);
    return { url: databaseUrl };
  }
  const server = await (role === 'gateway' ? startEmbeddedServer : connectEmbedded)({
    directory: dataDir,
    log,
    ...(signal && { signal }),
  });
  opened.defer(() => server.stop());
  return server.connection;
}

/** A command with an external database needs no directory. */
export function refuseUselessDirectory(
  { databaseUrl, dataDir }: StoreSettings,
  { role }: Pick<ConnectionUse, 'role'>,
): void {
  if (role === 'command' && databaseUrl !== undefined) return;
  if (role === 'command') refuseEmptyDirectory(dataDir);
  const { state, message } = checkDirectory(dataDir);
  if (state === 'problem') throw new SettingsError([{ place: 'data directory', message }]);
}

/** A command in the wrong folder must not create an installation there. */
function refuseEmptyDirectory(dataDir: string): void {
  const isThere = (name: string): boolean =>
    statSync(join(dataDir, name), { throwIfNoEntry: false }) !== undefined;
  try {
    if (['secret', 'postgres', 'postgres.location'].some(isThere)) return;
  } catch {
    return; // another user's, and not readable
  }
  throw new Error(
    `there is no Sluice data in ${dataDir}; start the gateway once (npx sluice start), or name its folder with --data-dir`,
  );
}
