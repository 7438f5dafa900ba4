import { GatewayError } from '#errors';
import type { Directory } from '../organizations/directory.ts';
import { bindIdentity } from './bind-identity.ts';
import { bindByok } from './bind-byok.ts';
import { type Ownership, bindId, bindList, createOwnership } from './ownership.ts';

/**
 * A directory as an admin key sees it that is bound to one organization: what belongs to others does not exist. Every
 * method says how it is bound; a new one does not compile until it does.
 */
export function bindDirectory(directory: Directory, organizationId: string): Directory {
  const own = createOwnership(directory, organizationId);
  return {
    ...bindTree(directory, own),
    ...bindIdentity(directory, own),
    ...bindRateLimits(directory, own),
    ...bindMoney(directory, own),
    ...bindRules(directory, own),
    ...bindOperators(directory, own),
    ...bindByok(directory, own),
  };
}

type Tree =
  | 'createOrganization'
  | 'getOrganization'
  | 'listOrganizations'
  | 'setOrganizationRateLimits'
  | 'createProject'
  | 'getProject'
  | 'listProjects'
  | 'setCacheTtl'
  | 'setPayloadDays'
  | 'findDefault';

function bindTree(directory: Directory, own: Ownership): Pick<Directory, Tree> {
  const { organizationId } = own;
  return {
    createOrganization: async () => {
      throw new GatewayError(
        'missing_scope',
        'this admin key is bound to one organization; it makes no other',
      );
    },
    getOrganization: bindId(own.organization, directory.getOrganization),
    listOrganizations: async ({ after } = {}) =>
      after === undefined ? [await directory.getOrganization(organizationId)] : [],
    setOrganizationRateLimits: bindId(own.organization, directory.setOrganizationRateLimits),
    createProject: async (input) => {
      await own.organization(input.organizationId);
      return directory.createProject(input);
    },
    getProject: bindId(own.project, directory.getProject),
    listProjects: async (id, page) => (id === organizationId ? directory.listProjects(id, page) : []),
    setCacheTtl: async (input) => {
      await own.project(input.projectId);
      return directory.setCacheTtl(input);
    },
    setPayloadDays: async (input) => {
      await own.project(input.projectId);
      return directory.setPayloadDays(input);
    },
    findDefault: async () => {
      const [first] = await directory.listProjects(organizationId, { limit: 1 });
      return first && { organizationId, projectId: first.id };
    },
  };
}

/** What binds a key's rate limits, which are told beside its other facts. */
function bindRateLimits(directory: Directory, own: Ownership): Pick<Directory, 'setKeyRateLimits'> {
  return { setKeyRateLimits: bindId(own.key, directory.setKeyRateLimits) };
}

type Money = 'addCredits' | 'setPlan' | 'endPlan' | 'findPlan';

function bindMoney(directory: Directory, own: Ownership): Pick<Directory, Money> {
  return {
    addCredits: async (grant) => {
      await own.organization(grant.organizationId);
      return directory.addCredits(grant);
    },
    setPlan: async (input) => {
      await own.organization(input.organizationId);
      return directory.setPlan(input);
    },
    endPlan: bindId(own.organization, directory.endPlan),
    findPlan: async (id) => (id === own.organizationId ? directory.findPlan(id) : undefined),
  };
}

type Rules = 'addRule' | 'getRule' | 'listRules' | 'removeRule';

function bindRules(directory: Directory, own: Ownership): Pick<Directory, Rules> {
  return {
    addRule: async (input) => {
      await own[input.layer](input.subjectId);
      return directory.addRule(input);
    },
    getRule: bindId(own.rule, directory.getRule),
    listRules: bindList(own, directory.listRules),
    removeRule: bindId(own.rule, directory.removeRule),
  };
}

type Operators = 'createAdminKey' | 'listAdminKeys' | 'setAdminKeyDisabled' | 'listAudit';

function bindOperators(directory: Directory, own: Ownership): Pick<Directory, Operators> {
  const { organizationId } = own;
  return {
    createAdminKey: async (input) => {
      if (input.organizationId !== undefined) await own.organization(input.organizationId);
      return directory.createAdminKey({ ...input, organizationId });
    },
    listAdminKeys: bindList(own, directory.listAdminKeys),
    setAdminKeyDisabled: bindId(own.adminKey, directory.setAdminKeyDisabled),
    listAudit: bindList(own, directory.listAudit),
  };
}
