export { type CachedAnswer, ResponseCache, type Tenant, createCacheKey } from './response-cache.ts';
