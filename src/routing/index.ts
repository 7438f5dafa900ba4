export { type Strategy, type Wishes, arrange } from './arrange.ts';
export { explore } from './explore.ts';
export { HealthBook, type ProviderBudgets, toHealthName } from './health-book.ts';
export { type MappingHealth, type Setback, type Standing } from './mapping-health.ts';
export { type NextAttempt, chooseNext } from './next-attempt.ts';
export { rankRoute } from './rank-route.ts';
export { type Timing } from './timing.ts';
export { type HealthReport } from './health-report.ts';
export type { RoutingRules } from './rules.ts';
