import type { Accounts, Caller } from '#accounts';
import type { PicoUsd } from '#base';

interface Keys {
  keys: number;
  limit: PicoUsd;
  /** Whether the limit renews each day, too. */
  isRenewing?: boolean;
}

/** Callers with keys of their own, each in an organization of its own. */
export async function createCallers(
  { directory, identify }: Pick<Accounts, 'directory' | 'identify'>,
  { keys, limit, isRenewing = false }: Keys,
): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (let number = 0; number < keys; number += 1) {
    const { id: organizationId } = await directory.createOrganization(`organization ${number}`);
    const { id: projectId } = await directory.createProject({ organizationId, name: 'bench' });
    const { secret, key } = await directory.createKey({ projectId, label: 'bench', limit });
    if (isRenewing) await directory.updateKey(key.id, { recurringLimit: { amount: limit, period: 'day' } });
    callers.push(await identify(secret));
  }
  return callers;
}
