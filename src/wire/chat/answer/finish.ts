import type { Finish, FinishReason } from '#canonical';
import type { UpstreamFailure } from '#errors';
import { cutName } from '../../body/read-field.ts';
import type { ChatChoice } from './answer-schema.ts';

type FinishWord = ChatChoice['finish_reason'];

const REASONS = new Map<string, FinishReason>(
  Object.entries({
    stop: 'stop',
    eos: 'stop',
    end_turn: 'stop',
    completed: 'stop',
    stop_sequence: 'stop-sequence',
    length: 'length',
    max_tokens: 'length',
    model_length: 'context-window', // Mistral: the model's context window, not the caller's limit
    tool_calls: 'tool-calls',
    tool_use: 'tool-calls',
    function_call: 'tool-calls',
    content_filter: 'content-filter',
    safety: 'content-filter',
    recitation: 'content-filter',
    sensitive: 'content-filter', // Zhipu
    refusal: 'content-filter',
  }),
);

const FAILURES = new Map<string, UpstreamFailure['kind']>(
  Object.entries({
    error: 'broken',
    abort: 'broken',
    network_error: 'broken',
    malformed_function_call: 'broken',
    insufficient_system_resource: 'overloaded', // DeepSeek
  }),
);

const WORDS: Record<FinishReason, FinishWord> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  'context-window': 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  pause: 'stop',
  unknown: 'stop',
};

/** Properties of an answer that affect its finish reason. */
interface FinishFacts {
  hasCalls: boolean;
  hasRefusal: boolean;
  /** The matched stop sequence, reported by vLLM. */
  matched: string | undefined;
}

/** Decodes a finish reason; tool calls and refusals win over an upstream's `stop`. */
export function decodeFinish(raw: string | undefined, facts: FinishFacts): Finish {
  let reason = raw === undefined ? 'unknown' : (REASONS.get(normalize(raw)) ?? 'unknown');
  if (reason === 'stop' || reason === 'unknown' || reason === 'stop-sequence') {
    if (facts.hasCalls) reason = 'tool-calls';
    else if (facts.hasRefusal) reason = 'content-filter';
    else if (facts.matched !== undefined) reason = 'stop-sequence';
  } else if (reason === 'tool-calls' && !facts.hasCalls) {
    reason = 'stop';
  }
  const finish: Finish = { reason };
  if (raw !== undefined) finish.raw = raw;
  if (reason === 'stop-sequence' && facts.matched !== undefined) finish.stopSequence = facts.matched;
  return finish;
}

/** The failure an upstream reports as a finish reason; undefined for ordinary reasons. */
export function findFinishFailure(raw: string): UpstreamFailure | undefined {
  const kind = FAILURES.get(normalize(raw));
  return kind && { kind, message: `the provider ended the answer with "${cutName(raw)}"` };
}

function normalize(raw: string): string {
  return raw.toLowerCase().replaceAll('-', '_');
}

/**
 * OpenAI ends a refusal with `stop`: its SDKs throw on `content_filter` and would hide the refusal. `content_filter` is
 * used only if the upstream reported it.
 */
export function encodeFinish(
  { reason, raw }: Finish,
  given: Pick<FinishFacts, 'hasCalls' | 'hasRefusal'> & { legacyCalls?: true | undefined },
): FinishWord {
  const word = WORDS[reason];
  if (word === 'tool_calls' || (word === 'stop' && given.hasCalls)) {
    return given.legacyCalls ? 'function_call' : 'tool_calls';
  }
  if (word !== 'content_filter' || !given.hasRefusal) return word;
  const isFiltered = raw !== undefined && REASONS.get(normalize(raw)) === 'content-filter';
  return isFiltered ? word : 'stop';
}
