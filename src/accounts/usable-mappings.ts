import type { Catalogue, Mapping } from '#catalogue';
import type { ProjectStore } from './organizations/projects.ts';
import type { RuleStore } from './rules/rule-store.ts';
import type { ProviderKeyStore } from './byok/provider-key-store.ts';
import { GatewayError } from '#errors';
import { isAllowed } from './rules/decide-access.ts';

/** What the gateways can call now. */
export interface Availability {
  catalogue: Catalogue;
  /** Ids of providers with a credential of the gateway. */
  callable: ReadonlySet<string>;
  /** What calls have shown of mappings, with each of their credentials. */
  healths: readonly { providerId: string; model: string; isHealthy: boolean }[];
}

type Directory = Pick<ProviderKeyStore, 'listProviderKeys'> &
  Pick<RuleStore, 'listRules'> &
  Pick<ProjectStore, 'getProject'>;

/** Which mappings requests of an organization, or of the one that has a project, can use now. */
export async function createUsableFilter(
  directory: Directory,
  { catalogue, callable, healths }: Availability,
  { organizationId, projectId }: { organizationId?: string | undefined; projectId?: string | undefined },
): Promise<(mapping: Mapping) => boolean> {
  const owner = organizationId ?? (await findOwner(directory, projectId));
  const keys = owner === undefined ? [] : await directory.listProviderKeys({ organizationId: owner });
  const rules = owner === undefined ? [] : await directory.listRules({ subjectId: owner });
  const own = new Set(keys.map(({ providerId }) => providerId));
  const seen = Map.groupBy(healths, ({ providerId, model }) => `${providerId}/${model}`);
  return (mapping) => {
    const { providerId, externalId } = mapping;
    const states = seen.get(`${providerId}/${externalId}`) ?? [];
    const isDown = states.length > 0 && !states.some(({ isHealthy }) => isHealthy);
    return (
      (callable.has(providerId) || own.has(providerId)) && !isDown && isAllowed(rules, mapping, catalogue)
    );
  };
}

/** Undefined for an unknown project. */
async function findOwner(
  directory: Pick<Directory, 'getProject'>,
  projectId: string | undefined,
): Promise<string | undefined> {
  if (projectId === undefined) return undefined;
  try {
    return (await directory.getProject(projectId)).organizationId;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'not_found') return undefined;
    throw error;
  }
}
