import { type JsonValue, isJsonObject } from '#base';
import type { OutboundFormat } from '../contract.ts';
import { refuseFeature } from '../errors/refuse-feature.ts';

/** Fields that change the answer and exist only in this format. */
const UNSUPPORTED = [
  'audio',
  'logit_bias',
  'logprobs',
  'modalities',
  'moderation',
  'top_logprobs',
  'web_search_options',
] as const;

const TEXT: ReadonlySet<JsonValue> = new Set(['text']);

/**
 * Wraps another format so that it refuses Chat fields it would otherwise drop silently. `supported` lists the output
 * modalities the format can request.
 */
export function refusingChatOnly(format: OutboundFormat, supported = TEXT): OutboundFormat {
  return {
    ...format,
    openExchange(request, target) {
      const extra = request.extra?.chat;
      const field = extra && UNSUPPORTED.find((name) => isRequested(extra[name], supported));
      if (field === undefined) return format.openExchange(request, target);
      return refuseFeature(field, field);
    },
  };
}

/** `false`, 0, absence and text output request nothing beyond the default. */
function isRequested(value: JsonValue | undefined, supported: ReadonlySet<JsonValue>): boolean {
  if (Array.isArray(value)) return value.some((item) => !supported.has(item));
  return isJsonObject(value) ? true : Boolean(value);
}
