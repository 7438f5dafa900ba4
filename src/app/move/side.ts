import type { Log } from '#telemetry';
import { type ExclusiveDatabase, openExclusiveDatabase } from '../backup/exclusive-database.ts';
import { hidePassword } from '../settings/explain-settings.ts';
import type { StoreSettings } from '../settings/store-settings.ts';

/** A database that is moved, or the one it is moved to. */
export interface Side extends ExclusiveDatabase, AsyncDisposable {
  /** As it is shown, without a password. */
  name: string;
  settings: StoreSettings;
}

export async function openSide(
  settings: StoreSettings,
  terms: { log: Log; signal?: AbortSignal | undefined },
): Promise<Side> {
  await using opened = new AsyncDisposableStack();
  const exclusive = await openExclusiveDatabase(settings, { ...terms, name: 'sluice move' }, opened);
  const all = opened.move();
  return {
    name:
      settings.databaseUrl === undefined
        ? `the embedded PostgreSQL of ${settings.dataDir}`
        : hidePassword(settings.databaseUrl),
    settings,
    ...exclusive,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
