import { type JsonObject, formatSse } from '#base';
import { answerResponses } from './tool-answers.ts';
import { type Asked, gemini, grounded, map, messages, responses, search, web } from './tool-rows.ts';
import { CLAUDE_SEARCH, WEB_SEARCH } from './unpriced-tools.ts';
import type { Reply } from './upstream-replies.ts';

type StreamEvents = readonly (readonly [event: string | undefined, data: JsonObject])[];

/** Streams that end before the provider reports usage: the request, its events, and what was observed. */
export const CUT: Record<
  string,
  [Asked, StreamEvents, kind: string, count: number, tools: string, prices: [bigint, bigint]]
> = {
  responses: [
    responses([WEB_SEARCH], { stream: true }),
    [
      ...answerResponses([search('1'), search('2')])
        .events.slice(0, 5)
        .map(({ event, data }) => [event, data as JsonObject] as const),
      [
        'response.output_item.added',
        { output_index: 2, item: { type: 'message', id: 'm', role: 'assistant', content: [] } },
      ],
      [
        'response.output_text.delta',
        { item_id: 'm', output_index: 2, content_index: 0, delta: 'found '.repeat(20) },
      ],
    ],
    'web_search',
    2,
    '0.02',
    [1_750_000n, 14_000_000n],
  ],
  messages: [
    messages([CLAUDE_SEARCH], { stream: true }),
    [
      [
        'message_start',
        {
          message: {
            id: 'm',
            type: 'message',
            role: 'assistant',
            model: 'x',
            content: [],
            usage: { input_tokens: 1_000, output_tokens: 1 },
          },
        },
      ],
      [
        'content_block_start',
        {
          index: 0,
          content_block: { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        },
      ],
      ['content_block_stop', { index: 0 }],
      ['content_block_start', { index: 1, content_block: { type: 'text', text: '' } }],
      ['content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'found '.repeat(20) } }],
    ],
    'web_search',
    1,
    '0.01',
    [3_000_000n, 15_000_000n],
  ],
  gemini: [
    stream(gemini('gemini-3-flash-preview', 'googleSearch')),
    [
      [undefined, chunk({}, grounded(['a', 'b'], web))],
      [undefined, chunk({ text: 'found '.repeat(20) })],
    ],
    'google_search',
    2,
    '0.002',
    [500_000n, 3_000_000n],
  ],
  'gemini maps': [
    stream(gemini('gemini-3-flash-preview', 'googleMaps')),
    [
      [undefined, chunk({ text: 'found '.repeat(20) }, grounded(['cafes'], map))],
      [undefined, chunk({ text: 'more' }, grounded(['cafes', 'parks', 'bars'], map))],
    ],
    'google_maps',
    3,
    '0.042',
    [500_000n, 3_000_000n],
  ],
};

function stream({ streamPath, body }: Asked): Asked {
  return { path: streamPath ?? '', body };
}

/** A chunk of a Gemini answer that does not end it. */
function chunk(part: JsonObject, groundingMetadata?: JsonObject): JsonObject {
  const content = { role: 'model', parts: [part] };
  return {
    responseId: 'r1',
    modelVersion: 'upstream',
    candidates: [{ index: 0, content, ...(groundingMetadata && { groundingMetadata }) }],
  };
}

/** Sends the events and closes the connection. */
export function cut(reported: StreamEvents): Reply {
  return async (exchange) => {
    await exchange.sendHead(200, { 'content-type': 'text/event-stream' });
    for (const [event, data] of reported) {
      const text = JSON.stringify({ ...(event !== undefined && { type: event }), ...data });
      await exchange.sendBody(formatSse({ ...(event !== undefined && { event }), data: text }));
    }
    await exchange.pause(20);
    exchange.cut();
  };
}
