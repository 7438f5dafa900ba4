import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { Finish, FinishReason } from '#canonical';
import type { UpstreamFailure } from '#errors';

const REASONS: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['end_turn', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['stop_sequence', 'stop-sequence'],
  ['guardrail_intervened', 'content-filter'],
  ['content_filtered', 'content-filter'],
  ['model_context_window_exceeded', 'context-window'],
]);

const MALFORMED: ReadonlySet<string> = new Set(['malformed_model_output', 'malformed_tool_use']);

/** Decodes the finish reason. `fields` are the model's own, where Claude names the matched stop sequence. */
export function decodeFinish(stopReason: JsonValue | undefined, fields: JsonValue | undefined): Finish {
  const finish: Finish = { reason: REASONS.get(stopReason) ?? 'unknown' };
  if (typeof stopReason === 'string') finish.raw = stopReason;
  const stopSequence = findStopSequence(fields);
  if (stopSequence !== undefined) finish.stopSequence = stopSequence;
  return finish;
}

/** Malformed model output is a failure, whatever was sent before. */
export function findMalformed(stopReason: JsonValue | undefined): UpstreamFailure | undefined {
  if (typeof stopReason !== 'string' || !MALFORMED.has(stopReason)) return undefined;
  return {
    kind: 'broken',
    message: 'the model gave an answer that breaks its format',
    code: stopReason,
  };
}

function findStopSequence(fields: JsonValue | undefined): string | undefined {
  if (!isJsonObject(fields)) return undefined;
  const holder: JsonObject = isJsonObject(fields['delta']) ? fields['delta'] : fields;
  return typeof holder['stop_sequence'] === 'string' ? holder['stop_sequence'] : undefined;
}
