import { adminKeyResource } from './admin-keys/resource.ts';
import { auditLogResource } from './audit/resource.ts';
import { budgetResource } from './budgets/resource.ts';
import { dashboardSessionResource } from './dashboard/resource.ts';
import { customModelResource } from './byok/custom-model-resource.ts';
import { customProviderResource } from './byok/custom-provider-resource.ts';
import { providerKeyResource } from './byok/provider-key-resource.ts';
import { keyResource } from './keys/resource.ts';
import { memberResource } from './members/resource.ts';
import { creditsResource } from './organizations/credits-resource.ts';
import { organizationResource } from './organizations/organization-resource.ts';
import { projectResource } from './organizations/project-resource.ts';
import type { PlanCatalogue } from './plans/plan-terms.ts';
import { planResource } from './plans/resource.ts';
import type { StorePorts } from './store-ports.ts';
import type { HasStore, Operation, Resource } from './resource/resource.ts';
import type { ByokTerms } from './byok/byok.ts';
import { type KnownIds, createKnownIds } from './resource/known-ids.ts';
import { ruleResource } from './rules/resource.ts';
import { sessionTokenResource } from './sessions/resource.ts';

/** All resources; endpoints, commands, the directory and shared tests are generated from this list. */
const LIST = [
  organizationResource,
  planResource,
  creditsResource,
  projectResource,
  keyResource,
  memberResource,
  sessionTokenResource,
  budgetResource,
  ruleResource,
  providerKeyResource,
  customProviderResource,
  customModelResource,
  adminKeyResource,
  dashboardSessionResource,
  auditLogResource,
] as const;

type StoreOf<Listed> = Listed extends HasStore<infer Store> ? (store: Store) => void : never;
type AllOf<Stores> = [Stores] extends [(stores: infer All extends object) => void] ? All : never;

/** The stores of all resources, for administrators. Changes reach every process at once. */
export type Directory = AllOf<StoreOf<(typeof LIST)[number]>> & KnownIds;

/** What operations use besides the directory: the operator's configuration, and what other rooms store. */
export interface InstallationPorts {
  /** The plans on offer. */
  plans(): PlanCatalogue | Promise<PlanCatalogue>;
  /** The configuration against which organizations' own providers are checked. */
  byokTerms(): ByokTerms | Promise<ByokTerms>;
  /** Deletes the stored payloads of a project; returns how many there were. */
  deletePayloads(projectId: string): Promise<number>;
}

/** All that operations use. */
export interface ResourcePorts extends InstallationPorts {
  directory: Directory;
}

/** Any of the resources, and any operation of one. */
export type AnyResource = Resource<ResourcePorts>;
export type AnyOperation = Operation<ResourcePorts>;

export const RESOURCES: readonly AnyResource[] = LIST;

export function createDirectory(ports: StorePorts): Directory {
  const stores = LIST.map(({ store }) => store(ports));
  return Object.assign({}, ...stores, createKnownIds(ports, RESOURCES)) as Directory;
}
