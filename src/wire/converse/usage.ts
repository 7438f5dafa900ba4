import { type JsonObject, isJsonObject } from '#base';
import { type Usage, createUsage, isBelievable, toCount } from '#canonical';

/** Converse counts the input without its cached parts, as Anthropic does; nothing if the counts are not plausible. */
export function decodeUsage(raw: JsonObject): Usage | undefined {
  if (!isBelievable(raw)) return undefined;
  const written = toCount(raw['cacheWriteInputTokens']);
  const details = Array.isArray(raw['cacheDetails']) ? raw['cacheDetails'].filter(isJsonObject) : [];
  const hour = details.reduce(
    (sum, detail) => sum + (detail['ttl'] === '1h' ? toCount(detail['inputTokens']) : 0),
    0,
  );
  const writtenHour = Math.min(written, hour);
  return createUsage({
    inputUncached: toCount(raw['inputTokens']),
    inputCacheRead: toCount(raw['cacheReadInputTokens']),
    inputCacheWrite5m: written - writtenHour,
    inputCacheWrite1h: writtenHour,
    outputText: toCount(raw['outputTokens']),
  });
}
