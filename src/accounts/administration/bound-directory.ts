import { GatewayError } from '#errors';
import type { Directory } from '../organizations/directory.ts';
import { createNotFound } from '../read-input.ts';
import { bindIdentity } from './bind-identity.ts';
import { bindSupply } from './bind-supply.ts';

/** Throws what an unknown id throws, where something is not the organization's own. */
type Check = (id: string) => Promise<void>;

interface Ownership {
  organizationId: string;
  organization: Check;
  project: Check;
  key: Check;
  rule: Check;
  adminKey: Check;
  member: Check;
  sessionToken: Check;
}

/**
 * A directory as an admin key sees it that is bound to one organization: what belongs to others does not exist. Every
 * method says how it is bound; a new one does not compile until it does.
 */
export function bindDirectory(directory: Directory, organizationId: string): Directory {
  const own = createOwnership(directory, organizationId);
  return {
    ...bindTree(directory, own),
    ...bindIdentity(directory, { ...own, list: (read) => bindList(own, read) }),
    ...bindRateLimits(directory, own),
    ...bindMoney(directory, own),
    ...bindRules(directory, own),
    ...bindOperators(directory, own),
    ...bindSupply(directory, { organization: own.organization, list: (read) => bindList(own, read) }),
  };
}

function createOwnership(directory: Directory, organizationId: string): Ownership {
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
function bindId<Rest extends unknown[], Value>(
  check: Check,
  run: (id: string, ...rest: Rest) => Promise<Value>,
): (id: string, ...rest: Rest) => Promise<Value> {
  return async (id, ...rest) => {
    await check(id);
    return run(id, ...rest);
  };
}

/** A list whose filter may name an organization: the own one, or nothing comes. */
function bindList<Filter extends { organizationId?: string }, Item>(
  { organizationId }: Ownership,
  read: (filter: Filter) => Promise<Item[]>,
): (filter: Filter) => Promise<Item[]> {
  return async (filter) =>
    (filter.organizationId ?? organizationId) === organizationId ? read({ ...filter, organizationId }) : [];
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
