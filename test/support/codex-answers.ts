import type { JsonObject, SseMessage } from '#base';
import type { FormatId } from '#canonical';

/** What the code tool is called with. */
export const CODE = "text('hello')";
/** Two calls of Codex's own tools, under the names that other providers get. */
export const CALLS = [
  { id: 'call_1', name: 'functions__exec', input: { input: CODE } },
  { id: 'call_2', name: 'clock__sleep', input: { seconds: 1 } },
];

const CHAT_CALLS = CALLS.map(({ id, name, input }, index) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
}));
/** A whole answer with these calls. */
export const WHOLE: [FormatId, JsonObject][] = [
  [
    'chat',
    {
      id: 'x',
      choices: [
        { index: 0, message: { role: 'assistant', tool_calls: CHAT_CALLS }, finish_reason: 'tool_calls' },
      ],
    },
  ],
  [
    'messages',
    {
      id: 'x',
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: CALLS.map((call) => ({ type: 'tool_use', ...call })),
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  ],
];

const chatChunk = (delta: JsonObject, finish: string | null): SseMessage => ({
  data: JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] }),
});
const messagesEvent = (type: string, members: JsonObject): SseMessage => ({
  event: type,
  data: JSON.stringify({ type, ...members }),
});
/** A stream with these calls. */
export const STREAMS: [FormatId, SseMessage[]][] = [
  [
    'chat',
    [
      chatChunk({ role: 'assistant', tool_calls: CHAT_CALLS }, null),
      chatChunk({}, 'tool_calls'),
      { data: '[DONE]' },
    ],
  ],
  [
    'messages',
    [
      messagesEvent('message_start', {
        message: { id: 'x', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 1 } },
      }),
      ...CALLS.flatMap(({ id, name, input }, index) => [
        messagesEvent('content_block_start', {
          index,
          content_block: { type: 'tool_use', id, name, input: {} },
        }),
        messagesEvent('content_block_delta', {
          index,
          delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
        }),
        messagesEvent('content_block_stop', { index }),
      ]),
      messagesEvent('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } }),
      messagesEvent('message_stop', {}),
    ],
  ],
];
