import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Accounts } from '#accounts';
import { GatewayError } from '#errors';
import { writeClientFile } from './client-file.ts';

interface ClientKey {
  secret: string;
  /** The id of the key, if it was created now. */
  createdKeyId?: string;
}

/**
 * The key of a client of this machine. Its secret is kept in the data directory, so that a client has one key however often it
 * is started; a new one replaces it once it is deleted, disabled or expired.
 */
export async function getClientKey(
  { directory, identify }: Accounts,
  { dataDir, label }: { dataDir: string; label: string },
): Promise<ClientKey> {
  const file = `${label.replaceAll(' ', '-')}.key`;
  const kept = readKept(join(dataDir, 'clients', file));
  if (kept !== undefined && (await isValid(identify, kept))) return { secret: kept };
  const projectId = (await directory.findDefault())?.projectId;
  if (projectId === undefined)
    throw new Error('there is no project yet; start the gateway once, or give a key with --key');
  const { secret, key } = await directory.createKey({ projectId, label });
  keep(dataDir, file, secret);
  return { secret, createdKeyId: key.id };
}

/** Where the data directory is read-only, the next start creates another key. */
function keep(dataDir: string, file: string, secret: string): void {
  try {
    writeClientFile(dataDir, file, secret);
  } catch {
    // the client works without the file
  }
}

function readKept(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

async function isValid(identify: Accounts['identify'], secret: string): Promise<boolean> {
  try {
    await identify(secret);
    return true;
  } catch (error) {
    if (error instanceof GatewayError && error.code !== 'store_unavailable') return false;
    throw error;
  }
}
