import type { JsonValue } from '#base';
import type { Finish, FinishReason } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import type { ConverseAnswer, ConverseStopReason } from './answer-schema.ts';

type Fields = Members<ConverseAnswer>['additionalModelResponseFields'];

const REASONS: ReadonlyMap<unknown, FinishReason> = new Map<ConverseStopReason, FinishReason>([
  ['end_turn', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['stop_sequence', 'stop-sequence'],
  ['guardrail_intervened', 'content-filter'],
  ['content_filtered', 'content-filter'],
  ['model_context_window_exceeded', 'context-window'],
]);

const MALFORMED: ReadonlySet<string> = new Set<ConverseStopReason>([
  'malformed_model_output',
  'malformed_tool_use',
]);

/** Decodes the finish reason. `fields` are the model's own, where Claude names the matched stop sequence. */
export function decodeFinish(stopReason: JsonValue | undefined, fields: Fields): Finish {
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

function findStopSequence(fields: Fields): string | undefined {
  if (!isObject(fields)) return undefined;
  const { stop_sequence: sequence } = isObject(fields.delta) ? fields.delta : fields;
  return typeof sequence === 'string' ? sequence : undefined;
}
