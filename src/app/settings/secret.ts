import { type Database, type Queryable, findInstanceValue, keepInstanceValue, syncFolder } from '#storage';
import type { StoreSettings } from './store-settings.ts';
import { createHmac, randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createRandomText } from '#base';
import { SettingsError } from './settings-problem.ts';

const FINGERPRINT = 'secret_fingerprint';

/**
 * The installation's secret, from the settings or the data directory, created at the first start. Throws
 * SettingsError if it is not the one this database was created with: no stored key could be verified.
 */
export async function openSecret(settings: StoreSettings, database: Database): Promise<Uint8Array> {
  const path = join(settings.dataDir, 'secret');
  const place = settings.secret === undefined ? path : 'SLUICE_SECRET';
  const given = settings.secret ?? (await readSecret(path));
  const known = await readFingerprint(database);
  if (known === undefined) {
    const secret = given ?? (await createSecret(path));
    return checkSecret(
      secret,
      await keepInstanceValue(database, FINGERPRINT, createFingerprint(secret)),
      place,
    );
  }
  return checkSecret(given, known, place);
}

/** Throws SettingsError unless the secret is the one of this fingerprint; creates none. */
export async function verifySecret(settings: StoreSettings, fingerprint: string): Promise<void> {
  const path = join(settings.dataDir, 'secret');
  const place = settings.secret === undefined ? path : 'SLUICE_SECRET';
  checkSecret(settings.secret ?? (await readSecret(path)), fingerprint, place);
}

function checkSecret(secret: string | undefined, known: string, place: string): Uint8Array {
  if (secret === undefined) {
    const message =
      'the file is missing, and this database was created with its secret; restore it from a backup, or set SLUICE_SECRET';
    throw new SettingsError([{ place, message }]);
  }
  if (createFingerprint(secret) === known) return Buffer.from(secret);
  const message =
    'this is not the secret this database was created with, so no API key would be accepted; ' +
    'use the first installation’s secret (its file "secret", or SLUICE_SECRET), or another database';
  throw new SettingsError([{ place, message }]);
}

/** Identifies a secret without revealing it. */
function createFingerprint(secret: string): string {
  return createHmac('sha256', secret).update('sluice secret fingerprint 1').digest('hex').slice(0, 16);
}

async function readSecret(path: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    await chmod(path, 0o600).catch(() => undefined); // a copy may have other permissions
    if (text.length >= 32) return text;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  throw new SettingsError([
    { place: path, message: 'the secret is too short; restore the file from a backup' },
  ]);
}

/** Written atomically and never over another: of two concurrent first starts one wins and both read it. */
async function createSecret(path: string): Promise<string> {
  const draft = `${path}.${createRandomText(8)}`; // a killed process may have had our process id
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString('hex')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await link(draft, path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  await rm(draft);
  await syncFolder(dirname(path)); // before the database depends on it
  const secret = await readSecret(path);
  if (secret === undefined)
    throw new Error(`the secret file ${path} disappeared while it was created; start again`);
  return secret;
}

/** The fingerprint of the secret that a database was created with. */
export function readFingerprint(database: Queryable): Promise<string | undefined> {
  return findInstanceValue(database, FINGERPRINT);
}
