import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { arch, availableParallelism, freemem, platform, release, totalmem, uptime } from 'node:os';
import { resolve } from 'node:path';
import { reasonOf, systemClock } from '#base';
import { diagnose } from '../doctor/diagnose.ts';
import { explainSettings } from '../settings/explain-settings.ts';
import { version } from '../settings/package.ts';
import type { SettingsOrigin } from '../settings/settings.ts';
import { loadStoreSettings } from '../settings/store-settings.ts';
import { describeDatabase } from './describe-database.ts';
import { removeSecrets } from './known-secrets.ts';

const MEGABYTE = 2 ** 20;

/** Writes what helps others find a fault, without secrets and without texts of clients and providers. */
export async function writeBundle(
  origin: SettingsOrigin,
  file: string,
): Promise<{ path: string; bytes: number }> {
  const path = resolve(file);
  if (existsSync(path)) throw new Error(`${path} exists; name a file that does not`);
  const bundle = {
    createdAt: new Date(systemClock.now()).toISOString(),
    versions: {
      sluice: version,
      node: process.versions.node,
      system: `${platform()} ${release()} ${arch()}`,
    },
    machine: {
      processors: availableParallelism(),
      memoryMB: Math.round(totalmem() / MEGABYTE),
      freeMB: Math.round(freemem() / MEGABYTE),
      uptimeHours: Math.round(uptime() / 3_600),
    },
    configuration: await attempt(() => explainSettings(origin)),
    doctor: await attempt(() => diagnose(origin)),
    database: await attempt(() => describeDatabase(loadStoreSettings(origin))),
  };
  const text = await removeSecrets(`${JSON.stringify(bundle, undefined, 2)}\n`, origin);
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  return { path, bytes: Buffer.byteLength(text) };
}

/** A part that fails is replaced by its error; the others remain. */
async function attempt<Value>(work: () => Promise<Value>): Promise<Value | { unavailable: string }> {
  try {
    return await work();
  } catch (error) {
    return { unavailable: reasonOf(error) };
  }
}
