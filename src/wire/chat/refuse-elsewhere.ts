import { type JsonValue, isJsonObject } from '#base';
import type { CanonicalRequest, FormatId, Target } from '#canonical';
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
/** The output modalities that a request can ask for. */
const MODALITIES: Readonly<Record<FormatId, ReadonlySet<JsonValue>>> = {
  chat: TEXT,
  converse: TEXT,
  gemini: new Set(['text', 'image']),
  messages: TEXT,
  responses: TEXT,
};

/** Refuses Chat fields that another format would drop silently. */
export function refuseChatOnly(
  request: CanonicalRequest,
  _target: Target,
  format: FormatId,
): CanonicalRequest {
  const extra = request.extra?.chat;
  const field = extra && UNSUPPORTED.find((name) => isRequested(extra[name], MODALITIES[format]));
  return field === undefined ? request : refuseFeature(field, field);
}

/** `false`, 0, absence and text output request nothing beyond the default. */
function isRequested(value: JsonValue | undefined, supported: ReadonlySet<JsonValue>): boolean {
  if (Array.isArray(value)) return value.some((item) => !supported.has(item));
  return isJsonObject(value) ? true : Boolean(value);
}
