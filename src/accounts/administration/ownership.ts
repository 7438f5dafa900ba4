import type { Directory } from '../organizations/directory.ts';
import { createNotFound } from '../read-input.ts';

/** Throws what an unknown id throws, where something is not the organization's own. */
type Check = (id: string) => Promise<void>;

/** What tells an organization's own things from those of others. */
export interface Ownership {
  organizationId: string;
  organization: Check;
  project: Check;
  key: Check;
  rule: Check;
  adminKey: Check;
  member: Check;
  sessionToken: Check;
}

export function createOwnership(directory: Directory, organizationId: string): Ownership {
  const check =
    (what: string, read: (id: string) => Promise<{ organizationId: string }>): Check =>
    async (id) => {
      if ((await read(id)).organizationId !== organizationId) throw createNotFound(what);
    };
  return {
    organizationId,
    organization: check('organization', async (id) => ({ organizationId: id })),
    project: check('project', (id) => directory.getProject(id)),
    key: check('key', (id) => directory.getKey(id)),
    rule: check('rule', (id) => directory.getRule(id)),
    member: check('member', (id) => directory.getMember(id)),
    sessionToken: check('session token', (id) => directory.getSessionToken(id)),
    adminKey: async (id) => {
      const keys = await directory.listAdminKeys({ organizationId });
      if (!keys.some((key) => key.id === id)) throw createNotFound('admin key');
    },
  };
}

/** A method whose first argument is the id to be checked. */
export function bindId<Rest extends unknown[], Value>(
  check: Check,
  run: (id: string, ...rest: Rest) => Promise<Value>,
): (id: string, ...rest: Rest) => Promise<Value> {
  return async (id, ...rest) => {
    await check(id);
    return run(id, ...rest);
  };
}

/** A list whose filter may name an organization: the own one, or nothing comes. */
export function bindList<Filter extends { organizationId?: string }, Item>(
  { organizationId }: Ownership,
  read: (filter: Filter) => Promise<Item[]>,
): (filter: Filter) => Promise<Item[]> {
  return async (filter) =>
    (filter.organizationId ?? organizationId) === organizationId ? read({ ...filter, organizationId }) : [];
}
