import type { Stores } from '#app';
import { GatewayError } from '#errors';
import type { RecordNames } from '../terminal/names.ts';

/** Session tokens have no name: their end user or key is shown with their id. */
export async function nameTokens(
  { accounts }: Pick<Stores, 'accounts'>,
  ids: readonly string[],
  names: RecordNames,
): Promise<RecordNames> {
  const tokens = new Map<string, string>();
  for (const id of ids) {
    const token = await accounts.directory.getSessionToken(id).catch((error: unknown) => {
      if (error instanceof GatewayError && error.code === 'not_found') return undefined;
      throw error;
    });
    if (token) tokens.set(id, `${id} (${token.endUserId ?? names.show(token.keyId)})`);
  }
  return { ...names, show: (id) => tokens.get(id) ?? names.show(id) };
}
