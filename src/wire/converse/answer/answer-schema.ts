import type { ConverseCall, ConverseCited, ConverseMessage } from '../schema.ts';

/** The answer of `Converse`. */
export interface ConverseAnswer {
  output: { message: ConverseMessage };
  stopReason: string;
  usage: ConverseUsage;
  additionalModelResponseFields: ConverseAnswerFields;
}

/** The stop reasons that are decoded; any other is unknown. */
export type ConverseStopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'guardrail_intervened'
  | 'content_filtered'
  | 'model_context_window_exceeded'
  | 'malformed_model_output'
  | 'malformed_tool_use';

/** The model's own members of an answer: Claude names the matched stop sequence, in a stream inside `delta`. */
interface ConverseAnswerFields {
  stop_sequence: string;
  delta: { stop_sequence: string };
}

export interface ConverseUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadInputTokens: number;
  cacheWriteInputTokens: number;
  cacheDetails: { ttl: string; inputTokens: number }[];
}

/** The events that are read. */
export type ConverseEventName =
  | 'messageStart'
  | 'contentBlockStart'
  | 'contentBlockDelta'
  | 'contentBlockStop'
  | 'messageStop'
  | 'metadata';

/** The payload of an event of `ConverseStream`; each type of event has some of these members. */
export interface ConverseEvent extends Omit<ConverseAnswer, 'output'>, ConverseException {
  contentBlockIndex: number;
  start: { toolUse: ConverseCall };
  delta: ConverseDelta;
}

/** What an event adds to a block. */
export interface ConverseDelta {
  text: string;
  toolUse: { input: string };
  reasoningContent: { text: string; signature: string; redactedContent: string };
  citation: ConverseCited['citations'][number];
}

/** An exception of AWS, in an error response, an event or a body that claims success. */
export interface ConverseException {
  __type: string;
  message: string;
  Message: string;
  originalMessage: string;
  originalStatusCode: number;
  /** Sent by proxies in front of Bedrock. */
  error: { message: string } | string;
}
