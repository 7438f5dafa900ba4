import type { Endpoint } from '../../endpoint.ts';
import { createResourceEndpoints } from '../../resource-endpoints.ts';
import { createOrganizationEndpoint } from './organizations-create/endpoint.ts';
import { listOrganizationsEndpoint } from './organizations-list/endpoint.ts';
import { getOrganizationEndpoint } from './organizations-get/endpoint.ts';
import { updateOrganizationEndpoint } from './organizations-update/endpoint.ts';
import { getPlanEndpoint } from './plan-get/endpoint.ts';
import { setPlanEndpoint } from './plan-set/endpoint.ts';
import { addCreditsEndpoint } from './credits-add/endpoint.ts';
import { createProjectEndpoint } from './projects-create/endpoint.ts';
import { listProjectsEndpoint } from './projects-list/endpoint.ts';
import { getProjectEndpoint } from './projects-get/endpoint.ts';
import { updateProjectEndpoint } from './projects-update/endpoint.ts';
import { createMemberEndpoint } from './members-create/endpoint.ts';
import { listMembersEndpoint } from './members-list/endpoint.ts';
import { getMemberEndpoint } from './members-get/endpoint.ts';
import { updateMemberEndpoint } from './members-update/endpoint.ts';
import { removeMemberEndpoint } from './members-remove/endpoint.ts';
import { listSessionTokensEndpoint } from './session-tokens-list/endpoint.ts';
import { revokeSessionTokenEndpoint } from './session-tokens-revoke/endpoint.ts';
import { addRuleEndpoint } from './rules-add/endpoint.ts';
import { listRulesEndpoint } from './rules-list/endpoint.ts';
import { removeRuleEndpoint } from './rules-remove/endpoint.ts';
import { setProviderKeyEndpoint } from './provider-keys-set/endpoint.ts';
import { listProviderKeysEndpoint } from './provider-keys-list/endpoint.ts';
import { removeProviderKeyEndpoint } from './provider-keys-remove/endpoint.ts';
import { createCustomProviderEndpoint } from './custom-providers-create/endpoint.ts';
import { listCustomProvidersEndpoint } from './custom-providers-list/endpoint.ts';
import { updateCustomProviderEndpoint } from './custom-providers-update/endpoint.ts';
import { removeCustomProviderEndpoint } from './custom-providers-remove/endpoint.ts';
import { createCustomModelEndpoint } from './custom-models-create/endpoint.ts';
import { listCustomModelsEndpoint } from './custom-models-list/endpoint.ts';
import { removeCustomModelEndpoint } from './custom-models-remove/endpoint.ts';
import { listUsageEndpoint } from './usage-list/endpoint.ts';
import { listLogsEndpoint } from './logs-list/endpoint.ts';
import { getLogEndpoint } from './logs-get/endpoint.ts';
import { checkLedgerEndpoint } from './ledger-check/endpoint.ts';
import { createAdminKeyEndpoint } from './admin-keys-create/endpoint.ts';
import { listAdminKeysEndpoint } from './admin-keys-list/endpoint.ts';
import { updateAdminKeyEndpoint } from './admin-keys-update/endpoint.ts';
import { listAuditEndpoint } from './audit-list/endpoint.ts';

/** The administration API. */
export const ADMIN_ENDPOINTS: readonly Endpoint[] = [
  createOrganizationEndpoint,
  listOrganizationsEndpoint,
  getOrganizationEndpoint,
  updateOrganizationEndpoint,
  getPlanEndpoint,
  setPlanEndpoint,
  addCreditsEndpoint,
  createProjectEndpoint,
  listProjectsEndpoint,
  getProjectEndpoint,
  updateProjectEndpoint,
  ...createResourceEndpoints(),
  createMemberEndpoint,
  listMembersEndpoint,
  getMemberEndpoint,
  updateMemberEndpoint,
  removeMemberEndpoint,
  listSessionTokensEndpoint,
  revokeSessionTokenEndpoint,
  addRuleEndpoint,
  listRulesEndpoint,
  removeRuleEndpoint,
  setProviderKeyEndpoint,
  listProviderKeysEndpoint,
  removeProviderKeyEndpoint,
  createCustomProviderEndpoint,
  listCustomProvidersEndpoint,
  updateCustomProviderEndpoint,
  removeCustomProviderEndpoint,
  createCustomModelEndpoint,
  listCustomModelsEndpoint,
  removeCustomModelEndpoint,
  listUsageEndpoint,
  listLogsEndpoint,
  getLogEndpoint,
  checkLedgerEndpoint,
  createAdminKeyEndpoint,
  listAdminKeysEndpoint,
  updateAdminKeyEndpoint,
  listAuditEndpoint,
];
