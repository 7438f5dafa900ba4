import type { Finish, FinishReason } from '#canonical';
import type { UpstreamFailure } from '#errors';

const REASONS = new Map<string, FinishReason>(
  Object.entries({
    stop: 'stop',
    eos: 'stop',
    end_turn: 'stop',
    completed: 'stop',
    stop_sequence: 'stop-sequence',
    length: 'length',
    max_tokens: 'length',
    model_length: 'context-window', // Mistral: the model's window, not the caller's limit
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

const WORDS: Record<FinishReason, string> = {
  stop: 'stop',
  'stop-sequence': 'stop',
  length: 'length',
  'context-window': 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  pause: 'stop',
  unknown: 'stop',
};

/** What an answer held, where it changes what its finish means. */
interface FinishFacts {
  hasCalls: boolean;
  hasRefusal: boolean;
  /** The stop sequence vLLM says it matched. */
  matched: string | undefined;
}

/** An upstream's word for the end; tool calls win over its `stop`, and a refusal too. */
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

/** The failure an upstream reports in place of a finish reason; nothing for true reasons. */
export function findFinishFailure(raw: string): UpstreamFailure | undefined {
  const kind = FAILURES.get(normalize(raw));
  return kind && { kind, message: `the provider ended the answer with "${raw.slice(0, 64)}"` };
}

function normalize(raw: string): string {
  return raw.toLowerCase().replaceAll('-', '_');
}

/**
 * OpenAI ends an answer that tells its refusal with `stop`: its SDKs throw at `content_filter` and would hide the refusal.
 * Only an upstream that named a filter itself is taken at its word.
 */
export function encodeFinish(
  { reason, raw }: Finish,
  given: Pick<FinishFacts, 'hasCalls' | 'hasRefusal'> & { legacyCalls?: true | undefined },
): string {
  const word = WORDS[reason];
  if (word === 'tool_calls' || (word === 'stop' && given.hasCalls)) {
    return given.legacyCalls ? 'function_call' : 'tool_calls';
  }
  if (word !== 'content_filter' || !given.hasRefusal) return word;
  const isFiltered = raw !== undefined && REASONS.get(normalize(raw)) === 'content-filter';
  return isFiltered ? word : 'stop';
}
