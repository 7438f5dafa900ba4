import type { AccessRule } from '#accounts';
import type { Catalogue, Mapping } from '#catalogue';
import type { LogRow } from '#logs';
import type { Queryable } from '#storage';
import { findBinding, isAllowed } from '#accounts';

/** The providers of a model to which the content of a request may be sent. */
export interface PermittedProviders {
  /** Their ids; none if the rules of the request's key, project or organization, or its own, exclude all. */
  list(row: LogRow, own: readonly AccessRule[]): Promise<string[]>;
}

/** The operator sends a replay, but the customer's access rules decide which providers may see its content. */
export function createPermittedProviders(
  database: Queryable,
  catalogue: Catalogue,
  mappings: readonly Mapping[],
): PermittedProviders {
  const rulesOfKeys = new Map<string, Promise<readonly AccessRule[]>>();
  const findRules = async ({ keyId, projectId }: LogRow): Promise<readonly AccessRule[]> => {
    const binding = (await findBinding(database, keyId)) ?? (await findBinding(database, projectId));
    return binding?.rules ?? [];
  };
  return {
    list: async (row, own) => {
      let found = rulesOfKeys.get(row.keyId);
      if (!found) rulesOfKeys.set(row.keyId, (found = findRules(row)));
      const rules = [...(await found), ...own];
      const isRefused = (mapping: Mapping): boolean => !isAllowed(rules, mapping, catalogue);
      const refused = new Set(mappings.filter(isRefused).map(({ providerId }) => providerId));
      const all = new Set(mappings.map(({ providerId }) => providerId));
      return [...all].filter((providerId) => !refused.has(providerId));
    },
  };
}
