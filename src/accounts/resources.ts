import { adminKeyResource } from './administration/admin-key-resource.ts';
import { customModelResource } from './byok/custom-model-resource.ts';
import { customProviderResource } from './byok/custom-provider-resource.ts';
import { providerKeyResource } from './byok/provider-key-resource.ts';
import { keyResource } from './keys/resource.ts';
import { memberResource } from './members/resource.ts';
import { creditsResource } from './organizations/credits-resource.ts';
import type { Directory } from './organizations/directory.ts';
import { organizationResource } from './organizations/organization-resource.ts';
import { projectResource } from './organizations/project-resource.ts';
import type { PlanCatalogue } from './plans/plan-terms.ts';
import { planResource } from './plans/resource.ts';
import type { Resource } from './resource/resource.ts';
import type { ByokTerms } from './byok/byok.ts';
import { ruleResource } from './rules/resource.ts';
import { sessionTokenResource } from './sessions/resource.ts';

/** All that operations reach: the account tree, and what the operator's configuration says to changes of it. */
export interface ResourcePorts {
  directory: Directory;
  plans(): PlanCatalogue | Promise<PlanCatalogue>;
  byokTerms(): ByokTerms | Promise<ByokTerms>;
}

/** Everything that is administered; endpoints, commands and the tests of both are made from this list. */
export const RESOURCES: readonly Resource<ResourcePorts>[] = [
  organizationResource,
  planResource,
  creditsResource,
  projectResource,
  keyResource,
  memberResource,
  sessionTokenResource,
  ruleResource,
  providerKeyResource,
  customProviderResource,
  customModelResource,
  adminKeyResource,
];
