import { type Usage, createUsage, isBelievable, toCount } from '#canonical';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import type { ConverseUsage } from './answer-schema.ts';

/** Converse counts the input without its cached parts, as Anthropic does; nothing if the counts are not plausible. */
export function decodeUsage(raw: Members<ConverseUsage>): Usage | undefined {
  if (!isBelievable(raw)) return undefined;
  const written = toCount(raw.cacheWriteInputTokens);
  const details = itemsOf(raw.cacheDetails).filter(isObject);
  const hour = details.reduce(
    (sum, { ttl, inputTokens }) => sum + (ttl === '1h' ? toCount(inputTokens) : 0),
    0,
  );
  const writtenHour = Math.min(written, hour);
  return createUsage({
    inputUncached: toCount(raw.inputTokens),
    inputCacheRead: toCount(raw.cacheReadInputTokens),
    inputCacheWrite5m: written - writtenHour,
    inputCacheWrite1h: writtenHour,
    outputText: toCount(raw.outputTokens),
  });
}
