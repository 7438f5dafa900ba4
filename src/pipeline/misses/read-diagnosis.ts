import { type JsonValue, isJsonObject } from '#base';
import type { Extra, GenerationEvent } from '#canonical';

const WORD = /^\w{1,64}$/;
/** Outcomes that explain nothing. */
const SILENT: ReadonlySet<string> = new Set(['previous_message_not_found', 'unavailable']);

/** Why a prompt was not cached, if the client asked its provider: Anthropic's `diagnostics`, OpenAI's `prompt_cache_diagnostics`. */
export function readDiagnosis(event: GenerationEvent): string | undefined {
  if (event.type !== 'generation-start' && event.type !== 'generation-end') return undefined;
  return event.extra && readReason(event.extra);
}

function readReason({ messages, responses }: Extra): string | undefined {
  const anthropic = memberOf(memberOf(memberOf(messages, 'diagnostics'), 'cache_miss_reason'), 'type');
  const reason = anthropic ?? memberOf(memberOf(responses, 'prompt_cache_diagnostics'), 'reason');
  return typeof reason === 'string' && WORD.test(reason) && !SILENT.has(reason) ? reason : undefined;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}
