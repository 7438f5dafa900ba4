import fc from 'fast-check';
import type { JsonObject } from '#base';

/** A conversation, independent of a format. */
export interface Conversation {
  system: Said[];
  turns: Exchange[];
  question: Said[];
  tools: { name: string; mark: boolean }[];
  temperature?: number;
}

/** A text with or without a prompt-cache mark after it. */
interface Said {
  text: string;
  mark: boolean;
}

/** A user turn, the assistant's answer, and the results of the tools it called. */
interface Exchange {
  user: Said[];
  answer: Said | undefined;
  calls: { id: string; name: string; input: JsonObject; result: string }[];
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((value) => `say ${value}.`);
const toolName = fc.constantFrom('weather', 'get_time', 'search-web', 'a');
const input = fc
  .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.string(), fc.integer(), fc.boolean()), {
    maxKeys: 3,
  })
  .map((value): JsonObject => ({ ...value }));

/** Ids as Anthropic writes them, and as the least careful Chat client does. */
const IDS = {
  plain: fc.stringMatching(/^toolu_[A-Za-z0-9]{6,30}$/),
  wild: fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 90 }).map((id) => `c${id}`),
};

interface ConversationOptions {
  ids?: keyof typeof IDS;
  /** The share of texts that carry a cache mark; at most four marks in all, as Anthropic allows. */
  marks?: boolean;
}

/** Any conversation; tool ids are distinct. */
export function anyConversation({
  ids = 'plain',
  marks = false,
}: ConversationOptions = {}): fc.Arbitrary<Conversation> {
  const said = fc.record({ text, mark: marks ? fc.boolean() : fc.constant(false) });
  const call = fc.record({ id: IDS[ids], name: toolName, input, result: text });
  const exchange = fc
    .record({
      user: fc.array(said, { minLength: 1, maxLength: 2 }),
      answer: fc.option(said, { nil: undefined }),
      calls: fc.array(call, { maxLength: 3 }),
    })
    .filter(({ answer, calls }) => answer !== undefined || calls.length > 0);
  return fc
    .record({
      system: fc.array(said, { maxLength: 2 }),
      turns: fc.array(exchange, { maxLength: 3 }),
      question: fc.array(said, { minLength: 1, maxLength: 2 }),
      temperature: fc.constantFrom(undefined, 0, 0.5, 1),
    })
    .map(({ temperature, ...rest }) => ({
      ...rest,
      tools: ['weather', 'get_time', 'search-web', 'a'].map((name, at) => ({
        name,
        mark: marks && at === 3 && rest.question.length > 1,
      })),
      ...(temperature !== undefined && { temperature }),
    }))
    .filter(hasDistinctIds)
    .map(keepFourMarks);
}

function hasDistinctIds({ turns }: Conversation): boolean {
  const ids = turns.flatMap((turn) => turn.calls.map((call) => call.id));
  return new Set(ids).size === ids.length;
}

function keepFourMarks(conversation: Conversation): Conversation {
  let left = 4;
  const limit = <T extends { mark: boolean }>(item: T): T => {
    const mark = item.mark && left > 0;
    if (mark) left -= 1;
    return { ...item, mark };
  };
  return {
    ...conversation,
    tools: conversation.tools.map(limit),
    system: conversation.system.map(limit),
    turns: conversation.turns.map((turn) => ({
      ...turn,
      user: turn.user.map(limit),
      answer: turn.answer && { ...turn.answer, mark: false },
    })),
    question: conversation.question.map(limit),
  };
}

const SCHEMA = { type: 'object', properties: { q: { type: 'string' } } };

/** The conversation as a Messages body. */
export function toMessagesBody(conversation: Conversation): JsonObject {
  const cached = (mark: boolean): JsonObject => (mark ? { cache_control: { type: 'ephemeral' } } : {});
  const toBlock = (said: Said): JsonObject => ({ type: 'text', text: said.text, ...cached(said.mark) });
  const messages: JsonObject[] = [];
  let carried: JsonObject[] = [];
  for (const turn of conversation.turns) {
    const calls = turn.calls.map(({ id, name, input: value }) => ({
      type: 'tool_use',
      id,
      name,
      input: value,
    }));
    messages.push({ role: 'user', content: [...carried, ...turn.user.map(toBlock)] });
    messages.push({ role: 'assistant', content: [...(turn.answer ? [toBlock(turn.answer)] : []), ...calls] });
    carried = turn.calls.map(({ id, result }) => ({ type: 'tool_result', tool_use_id: id, content: result }));
  }
  messages.push({ role: 'user', content: [...carried, ...conversation.question.map(toBlock)] });
  return {
    model: 'client-model',
    max_tokens: 500,
    ...(conversation.system.length > 0 && { system: conversation.system.map(toBlock) }),
    messages,
    tools: conversation.tools.map(({ name, mark }) => ({
      name,
      description: name,
      input_schema: SCHEMA,
      ...cached(mark),
    })),
    ...(conversation.temperature !== undefined && { temperature: conversation.temperature }),
  };
}

/** The conversation as a Chat Completions body. */
export function toChatBody(conversation: Conversation): JsonObject {
  const toPart = ({ text: value, mark }: Said): JsonObject => ({
    type: 'text',
    text: value,
    ...(mark && { prompt_cache_breakpoint: { mode: 'explicit' } }),
  });
  const messages: JsonObject[] = [];
  if (conversation.system.length > 0)
    messages.push({ role: 'system', content: conversation.system.map(toPart) });
  for (const turn of conversation.turns) {
    messages.push({ role: 'user', content: turn.user.map(toPart) });
    const calls = turn.calls.map(({ id, name, input: value }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(value) },
    }));
    messages.push({
      role: 'assistant',
      content: turn.answer?.text ?? null,
      ...(calls.length > 0 && { tool_calls: calls }),
    });
    for (const { id, result } of turn.calls)
      messages.push({ role: 'tool', tool_call_id: id, content: result });
  }
  messages.push({ role: 'user', content: conversation.question.map(toPart) });
  return {
    model: 'client-model',
    max_completion_tokens: 500,
    messages,
    tools: conversation.tools.map(({ name }) => ({
      type: 'function',
      function: { name, description: name, parameters: SCHEMA },
    })),
    ...(conversation.temperature !== undefined && { temperature: conversation.temperature }),
  };
}

/** The conversation as a Responses body. */
export function toResponsesBody(conversation: Conversation): JsonObject {
  const toPart = ({ text: value, mark }: Said): JsonObject => ({
    type: 'input_text',
    text: value,
    ...(mark && { prompt_cache_breakpoint: { mode: 'explicit' } }),
  });
  const say = (role: string, said: Said[]): JsonObject => ({
    type: 'message',
    role,
    content: said.map(toPart),
  });
  const input: JsonObject[] = [];
  if (conversation.system.length > 0) input.push(say('developer', conversation.system));
  for (const turn of conversation.turns) {
    input.push(say('user', turn.user));
    const { answer } = turn;
    if (answer) {
      const content = [{ type: 'output_text', text: answer.text, annotations: [] }];
      input.push({ type: 'message', role: 'assistant', content });
    }
    for (const { id, name, input: value } of turn.calls)
      input.push({ type: 'function_call', call_id: id, name, arguments: JSON.stringify(value) });
    for (const { id, result } of turn.calls)
      input.push({ type: 'function_call_output', call_id: id, output: result });
  }
  input.push(say('user', conversation.question));
  return {
    model: 'client-model',
    max_output_tokens: 500,
    input,
    tools: conversation.tools.map(({ name }) => ({
      type: 'function',
      name,
      description: name,
      parameters: SCHEMA,
      strict: false,
    })),
    ...(conversation.temperature !== undefined && { temperature: conversation.temperature }),
  };
}
