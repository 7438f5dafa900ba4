export { type CachedAnswer, ResponseCache, type CacheTenant, createCacheKey } from './response-cache.ts';
