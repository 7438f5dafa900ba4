export { type Accounts, type AccountsOptions, createAccounts } from './accounts.ts';
export {
  ADMIN_SCOPES,
  type AdminCaller,
  type AdminKeyRecord,
  type AdminTask,
  hasScope,
} from './admin-key.ts';
export { type Administration, type Perform } from './administration/administration.ts';
export { type Person, type RoleRule } from './dashboard/role-rule.ts';
export { type PersonSignIn } from './dashboard/person-entrance.ts';
export { RIGHTS, SESSION_ROLES, type SessionRole } from './dashboard/session-role.ts';
export { DASHBOARD_MINUTES, type DashboardSession } from './dashboard/dashboard-session.ts';
export { type DashboardEntrance, type SignIn } from './dashboard/dashboard-entrance.ts';
export { type AuditEntry, type AuditFilter } from './audit/audit-book.ts';
export { type Caller, holderOf } from './caller.ts';
export { type KeyStatus } from './key-status.ts';
export { type Limiter, type Pass, createLimiter } from './limits/limiter.ts';
export {
  MOST_LIMIT,
  type RateLimit,
  type RateLimitChange,
  type RateLimits,
  listLimitsOf,
} from './limits/rate-limits.ts';
export { type Standing } from './limits/standing.ts';
export { type KeyBook, type KeyRecord, type NewKey } from './keys/key-record.ts';
export { type Taking } from './keys/identify.ts';
export { hasCredential, readCredential } from './keys/read-credential.ts';
export { type Grant } from './ledger/add-credits.ts';
export {
  type Hold,
  type HoldRequest,
  type Ledger,
  type LedgerDifference,
  type OutcomeRow,
  type Progress,
  type Settlement,
} from './ledger/ledger.ts';
export { reportLeases } from './ledger/report-leases.ts';
export { isSettlementRecord } from './ledger/wire.ts';
export { type WindowClock } from './ledger/window-clock.ts';
export { type PlanStatus } from './plans/plan-status.ts';
export {
  PLAN_TIERS,
  type PlanCatalogue,
  type PlanTerms,
  type PlanTier,
  type WrittenPlan,
  createPlanCatalogue,
} from './plans/plan-terms.ts';
export { PERIODS, type RecurringLimit } from './ledger/recurring-limit.ts';
export { type Member, type MemberBook, type MemberBudget } from './members/member-book.ts';
export {
  MEMBER_ROLES,
  type MemberRole,
  type RoledAct,
  isRoleAllowed,
  listRolesFor,
} from './members/roles.ts';
export {
  type NewSessionToken,
  SESSION_TTL_SECONDS,
  type SessionBook,
  type SessionToken,
} from './sessions/session-book.ts';
export { type Organization, type Project } from './organizations/account-tree.ts';
export {
  type AccessDecision,
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
  type RoutingChoice,
  type RoutingWishes,
  STRATEGIES,
  WEIGHTS,
  addWishes,
  toRules,
} from './routing/routing-choice.ts';
export { type RequestBinding, findBinding } from './routing/find-binding.ts';
export { ROUTING_MEMBERS, routingChoiceSchema } from './routing/routing-field.ts';
export { createNetworkCheck, parseNetwork, readAddress } from './rules/network.ts';
export { describeRefusal, describeUnjudged } from './rules/describe-refusal.ts';
export { readRule } from './rules/read-rule.ts';
export { type RuleBook, type RuleRecord } from './rules/rule-book.ts';
export { type Rotation } from './byok/credential-keys.ts';
export { type CustomModelRecord } from './byok/custom-model-book.ts';
export { type CustomProviderRecord } from './byok/custom-provider-book.ts';
export { type ProviderKeyRecord } from './byok/provider-key-book.ts';
export { type NewCustomModel } from './byok/read-byok.ts';
export {
  CUSTOM_FORMATS,
  type CustomProvider,
  type SealedCredential,
  type Byok,
  type ByokTerms,
} from './byok/byok.ts';
export { type AccessRule, LAYERS, type Layer, RULE_TYPES, type RuleType } from './rules/rule.ts';
export { type Answered, decodeInput, encodeList, perform, wireNameOf } from './resource/codec.ts';
export { type InputType, type ValueKind, closedObject } from './resource/field-type.ts';
export type {
  Columns,
  ManifestSpec,
  FileValues,
  InputField,
  InputFields,
  CommandTarget,
  Operation,
  Resource,
  ResourceCommand,
  OutputFields,
  CliField,
} from './resource/resource.ts';
export { readTime } from './resource/types.ts';
export { type Directory, type InstallationPorts, RESOURCES, type ResourcePorts } from './resources.ts';
