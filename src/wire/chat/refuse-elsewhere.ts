import { type JsonValue, isJsonObject } from '#base';
import { GatewayError } from '#errors';
import type { OutboundFormat } from '../contract.ts';

/** Fields that change the answer and exist only in this format. */
const UNSAYABLE = [
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
      const field = extra && UNSAYABLE.find((name) => asksFor(extra[name], supported));
      if (field === undefined) return format.openExchange(request, target);
      throw new GatewayError('unsupported_feature', `this model's provider cannot take ${field}`, {
        param: field,
      });
    },
  };
}

/** `false`, 0, absence and text output request nothing beyond the default. */
function asksFor(value: JsonValue | undefined, supported: ReadonlySet<JsonValue>): boolean {
  if (Array.isArray(value)) return value.some((item) => !supported.has(item));
  return isJsonObject(value) ? true : Boolean(value);
}
