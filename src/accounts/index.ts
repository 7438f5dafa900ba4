export { type Accounts, type AccountsOptions, createAccounts } from './accounts.ts';
export { ADMIN_SCOPES, type AdminCaller, type RequiredScope, hasScope } from './admin-key.ts';
export { type Perform } from './administration/administration.ts';
export { type Person, type RoleRule } from './roles/role-rule.ts';
export { SESSION_ROLES } from './roles/session-role.ts';
export { createNotForMembers } from './administration/bind-resource.ts';
export { holdsReport } from './budgets/holds-report.ts';
export { namesReport } from './organizations/names-report.ts';
export { BUDGET_KINDS } from './budgets/select-budgets.ts';
export { type DashboardSession } from './dashboard/dashboard-store.ts';
export { type Caller, holderOf } from './caller.ts';
export { type KeyStatus } from './key-status.ts';
export { type Limiter, type LimiterSlot, createLimiter } from './limits/limiter.ts';
export { MOST_LIMIT, type RateLimit, type RateLimits, listLimitsOf } from './limits/rate-limits.ts';
export { type LimitState } from './limits/limit-state.ts';
export { type AcceptedCredentials } from './keys/identify.ts';
export { CREDENTIAL_HEADERS, hasCredential, readCredential } from './keys/read-credential.ts';
export {
  type GrowRequest,
  type Hold,
  type HoldRequest,
  type Ledger,
  type OutcomeRow,
  type Progress,
  type Settlement,
} from './ledger/ledger.ts';
export { STORE_LIMIT_MS, createStoreTooSlow } from './ledger/store/store-fault.ts';
export { type LedgerCheck, encodeLedgerCheck } from './ledger/check/encode-ledger-check.ts';
export { type Availability, createUsableFilter } from './usable-mappings.ts';
export { reportLeases } from './ledger/leases/report-leases.ts';
export { isSettlementRecord } from './ledger/store/store-codec.ts';
export { type WindowClock } from './meters/window-clock.ts';
export { type PlanCatalogue, type PlanTier, createPlanCatalogue } from './plans/plan-terms.ts';
export { PERIODS, type RecurringLimit } from './meters/recurring-limit.ts';
export { type MemberRole, type RoledAct, isRoleAllowed, listRolesFor } from './roles/roles.ts';
export { type NewSessionToken, SESSION_TTL_SECONDS } from './sessions/session-store.ts';
export {
  type AccessRefusal,
  decideAccess,
  findModelRule,
  findNetworkRefusal,
  fingerprintRules,
  isAllowed,
} from './rules/decide-access.ts';
export {
  CHOICE_MEMBERS,
  type ProviderChoice,
  type RoutingPreferences,
  STRATEGIES,
  WEIGHTS,
  mergePreferences,
  toRules,
} from './routing/routing-choice.ts';
export { type RequestBinding, findBinding } from './find-binding.ts';
export { ROUTING_MEMBERS, routingChoiceSchema } from './routing/routing-field.ts';
export { createNetworkCheck, parseNetwork, readAddress } from './rules/network.ts';
export { describeRefusal, describeUnevaluated } from './rules/describe-refusal.ts';
export { type ProviderKeyRecord } from './byok/provider-key-store.ts';
export { type CustomProvider, type SealedCredential, type Byok, type ByokTerms } from './byok/byok.ts';
export { type AccessRule, RULE_TYPES, type RuleType } from './rules/rule.ts';
export { type OperationResult, perform } from './resource/codec.ts';
export type {
  ManifestSpec,
  FileValues,
  CommandTarget,
  Operation,
  Resource,
  ResourceCommand,
} from './resource/resource.ts';
export {
  type AnyOperation,
  type AnyResource,
  type Directory,
  type InstallationPorts,
  RESOURCES,
  type ResourcePorts,
} from './resources.ts';
