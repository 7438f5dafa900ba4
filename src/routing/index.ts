export { type Health, toHealthKey } from './health.ts';
export { rankRoute } from './rank-route.ts';
