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

/** Another format, which refuses by name what of a Chat request it would have to leave out, and the answer would lack. */
export function refusingChatOnly(format: OutboundFormat): OutboundFormat {
  return {
    ...format,
    openExchange(request, target) {
      const extra = request.extra?.chat;
      const field = extra && UNSAYABLE.find((name) => asksFor(extra[name]));
      if (field === undefined) return format.openExchange(request, target);
      throw new GatewayError('unsupported_feature', `this model's provider cannot take ${field}`, {
        param: field,
      });
    },
  };
}

/** `false`, 0, nothing at all and an answer of text ask for nothing beyond the usual. */
function asksFor(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.some((item) => item !== 'text');
  return isJsonObject(value) ? true : Boolean(value);
}
