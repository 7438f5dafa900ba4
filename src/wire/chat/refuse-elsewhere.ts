import { type JsonValue, isJsonObject } from '#base';
import type { RequestChange } from '../contract.ts';
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

/** Refuses Chat fields that a format with these output modalities would drop silently. */
export function createChatRefusal(modalities: ReadonlySet<unknown>): RequestChange {
  return (request) => {
    const extra = request.extra?.chat;
    const field = extra && UNSUPPORTED.find((name) => isRequested(extra[name], modalities));
    return field === undefined ? request : refuseFeature(field, field);
  };
}

/** `false`, 0, absence and text output request nothing beyond the default. */
function isRequested(value: JsonValue | undefined, supported: ReadonlySet<unknown>): boolean {
  if (Array.isArray(value)) return value.some((item) => !supported.has(item));
  return isJsonObject(value) ? true : Boolean(value);
}
