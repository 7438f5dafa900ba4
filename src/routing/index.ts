export { type Health, toHealthKey } from './health.ts';
export { type RouteFacts, rankRoute } from './rank-route.ts';
