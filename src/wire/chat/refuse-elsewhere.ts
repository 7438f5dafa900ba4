import { type JsonValue, isJsonObject } from '#base';
import { GatewayError } from '#errors';
import type { OutboundFormat } from '../contract.ts';

/** Fields that ask for something in the answer, or of it, that only this format can say. */
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
 * Another format, which refuses by name what of a Chat request it would have to leave out, and the answer would lack.
 * `said` are the modalities of an answer that the format can ask for.
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

/** `false`, 0, nothing at all and an answer of text ask for nothing beyond the usual. */
function asksFor(value: JsonValue | undefined, supported: ReadonlySet<JsonValue>): boolean {
  if (Array.isArray(value)) return value.some((item) => !supported.has(item));
  return isJsonObject(value) ? true : Boolean(value);
}
