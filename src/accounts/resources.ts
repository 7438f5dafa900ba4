import { keyResource } from './keys/resource.ts';
import type { Directory } from './organizations/directory.ts';
import type { PlanCatalogue } from './plans/plan-terms.ts';
import type { Resource } from './resource/resource.ts';
import type { ByokTerms } from './byok/byok.ts';

/** All that operations reach: the account tree, and what the operator's configuration says to changes of it. */
export interface ResourcePorts {
  directory: Directory;
  plans(): PlanCatalogue | Promise<PlanCatalogue>;
  byokTerms(): ByokTerms | Promise<ByokTerms>;
}

/** Everything that is administered; endpoints, commands and the tests of both are made from this list. */
export const RESOURCES: readonly Resource<ResourcePorts>[] = [keyResource];
