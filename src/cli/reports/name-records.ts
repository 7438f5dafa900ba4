import type { Stores } from '#app';
import type { RecordNames } from '#fields';
import { GatewayError } from '#errors';
import { readNames } from '../terminal/names.ts';

type Directory = Stores['accounts']['directory'];

/** The names of records. Session tokens have none: their end user or key is shown with their id. */
export async function nameRecords(directory: Directory, ids: readonly string[]): Promise<RecordNames> {
  const names = await readNames(directory, ids);
  const tokens = new Map<string, string>();
  for (const id of new Set(ids.filter((one) => one.startsWith('ses_')))) {
    const token = await directory.getSessionToken(id).catch((error: unknown) => {
      if (error instanceof GatewayError && error.code === 'not_found') return undefined;
      throw error;
    });
    if (token) tokens.set(id, `${id} (${token.endUserId ?? names.show(token.keyId)})`);
  }
  return { ...names, show: (id) => tokens.get(id) ?? names.show(id) };
}
