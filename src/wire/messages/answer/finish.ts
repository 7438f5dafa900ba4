import type { JsonValue } from '#base';
import type { Block, Finish, FinishReason } from '#canonical';
import type { MessagesAnswer, MessagesStopReason } from './answer-schema.ts';
import type { MessagesBlock } from '../block-schema.ts';
import { isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';

const REASONS: ReadonlyMap<unknown, FinishReason> = new Map<MessagesStopReason, FinishReason>([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['stop_sequence', 'stop-sequence'],
  ['tool_use', 'tool-calls'],
  ['pause_turn', 'pause'],
  ['refusal', 'content-filter'],
  ['model_context_window_exceeded', 'context-window'],
]);

export function decodeFinish(stopReason: JsonValue | undefined, stopSequence: JsonValue | undefined): Finish {
  const finish: Finish = { reason: REASONS.get(stopReason) ?? 'unknown' };
  if (typeof stopReason === 'string') finish.raw = stopReason;
  if (typeof stopSequence === 'string') finish.stopSequence = stopSequence;
  return finish;
}

/** An unknown stop reason (`compaction`), kept for Messages clients. */
export function findUnnamedStopReason(finish: Finish): Members<MessagesAnswer> {
  return finish.reason === 'unknown' && finish.raw !== undefined ? { stop_reason: finish.raw } : {};
}

/** Whether a block is a call for the client; calls by code on Anthropic's servers are not. */
export function awaitsClient(block: Block): boolean {
  if (block.type !== 'tool-call') return false;
  const extra: Members<MessagesBlock> | undefined = block.extra?.messages;
  const caller = extra?.caller;
  return !isObject(caller) || caller.type === undefined || caller.type === 'direct';
}

/**
 * `stop_reason`, `stop_sequence` and, where a budget ended it, `stop_details` of an answer. An answer with a tool call stops for it, whatever the provider
 * reports.
 */
export function encodeFinish(
  finish: Finish,
  hasToolCall: boolean,
  unnamed: JsonValue | undefined,
): Members<MessagesAnswer> {
  const isUnnamed = finish.reason === 'unknown' && typeof unnamed === 'string';
  const reason = isUnnamed ? unnamed : toStopReason(finish, hasToolCall);
  return {
    stop_reason: reason,
    stop_sequence: reason === 'stop_sequence' ? (finish.stopSequence ?? null) : null,
    ...(finish.limitedBy && { stop_details: { type: 'budget', ...finish.limitedBy } }),
  };
}

function toStopReason(finish: Finish, hasToolCall: boolean): MessagesStopReason {
  switch (finish.reason) {
    case 'length':
      return 'max_tokens';
    case 'context-window':
      return 'model_context_window_exceeded';
    case 'content-filter':
      return 'refusal';
    case 'pause':
      return 'pause_turn';
    case 'stop-sequence':
      if (hasToolCall) break;
      return finish.stopSequence !== undefined || finish.raw === 'stop_sequence'
        ? 'stop_sequence'
        : 'end_turn';
    case 'tool-calls':
      return hasToolCall || finish.raw === 'tool_use' ? 'tool_use' : 'end_turn';
    case 'stop':
    case 'unknown':
  }
  return hasToolCall ? 'tool_use' : 'end_turn';
}
