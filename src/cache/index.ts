export {
  type CachedAnswer,
  type CacheKeyParts,
  ResponseCache,
  type Tenant,
  createCacheKey,
} from './response-cache.ts';
