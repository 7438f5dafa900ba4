import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, formatSse } from '#base';
import { answerText } from '../../../test/support/upstream-replies.ts';
import { shareGateway } from '../../../test/support/share-gateway.ts';

const gateway = shareGateway({
  config: ({ baseUrl }) => `providers:\n  - { id: anthropic, baseUrl: "${baseUrl}", apiKey: mock-key }\n`,
});

const USD = 1_000_000_000_000n;
const PROMPT = 50_000;
/** Of claude-haiku-4-5, at 1 USD per million. */
const READING = BigInt(PROMPT) * 1_000_000n;
const SEARCH = 10_000_000_000n;

function sse(...events: (JsonObject & { type: string })[]): string {
  return events.map((event) => formatSse({ event: event.type, data: JSON.stringify(event) })).join('');
}

/** The events of an answer that searches so often and says something after each search. */
function search(times: number): string {
  const usage = { input_tokens: PROMPT, output_tokens: 1 };
  const blocks = Array.from({ length: times }, (_, at) => {
    const id = `srvtoolu_${at}`;
    const content = [
      { type: 'web_search_result', url: 'https://example.com', title: 'x', encrypted_content: 'e' },
    ];
    return [
      { type: 'server_tool_use', id, name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: id, content },
      { type: 'text', text: 'found' },
    ];
  }).flat();
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage };
  return sse(
    { type: 'message_start', message },
    ...blocks.flatMap((block, index) => [
      {
        type: 'content_block_start',
        index,
        content_block: block.type === 'text' ? { ...block, text: '' } : block,
      },
      ...(block.type === 'text'
        ? [{ type: 'content_block_delta', index, delta: { type: 'text_delta', text: 'found' } }]
        : []),
      { type: 'content_block_stop', index },
    ]),
  );
}

async function ask(credits: bigint, reply: string) {
  const { apiKey } = await gateway.createAccount({ credits });
  gateway.upstream.script({ reply: answerText('text/event-stream', reply) });
  const body = {
    model: 'claude-haiku-4-5',
    max_tokens: 1_000,
    stream: true,
    messages: [{ role: 'user', content: 'search' }],
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }],
  };
  const response = await gateway.post('/v1/messages', body, { authorization: `Bearer ${apiKey}` });
  const text = await response.text();
  const { customer, provider, usage } = await gateway.getRow(response);
  return { text, usage, customer: BigInt(customer), provider: BigInt(provider) };
}

test('an answer that is cut after three searches is billed for four readings of its prompt', async () => {
  const { customer, provider, usage } = await ask(5n * USD, search(3));
  assert.ok(
    usage.inputUncached >= 4 * PROMPT && usage.inputUncached < 4.1 * PROMPT,
    `${usage.inputUncached}`,
  );
  assert.ok(customer >= 4n * READING + 3n * SEARCH);
  assert.equal(customer, provider);
});

test('a budget that covers some readings ends an answer before the next one', async () => {
  // What is held before: a context at the price of a cache write, five searches and the first output.
  const { text, customer, provider } = await ask((31n * USD) / 100n, search(5));
  assert.match(text, /max_tokens/);
  assert.equal(text.match(/text_delta/g)?.length, 3);
  assert.equal(customer, provider);
});
