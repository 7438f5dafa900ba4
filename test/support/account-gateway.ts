import assert from 'node:assert/strict';
import type { ProviderKeyRecord } from '#accounts';
import { type JsonObject, type JsonValue, formatSse } from '#base';
import type { ClientFormatId } from '#canonical';
import { LEAST, createFormatProviders } from './format-providers.ts';
import { type InProcessGateway, type TestAccount, openInProcess } from './in-process.ts';
import { type MockUpstream, startMockUpstream } from './mock-upstream.ts';
import { assertRefused } from './refusal.ts';
import type { Reply } from './upstream-replies.ts';

/** The caller. */
type Asker = Pick<TestAccount, 'apiKey'>;

/** A gateway for tests of objects in accounts at providers. */
export class AccountGateway implements AsyncDisposable {
  readonly gateway: InProcessGateway;
  /** All formats. */
  readonly upstream: MockUpstream;
  /** The same cheap Messages model at a higher price. */
  readonly moreExpensive: MockUpstream;
  readonly #opened: AsyncDisposableStack;

  constructor(
    parts: Pick<AccountGateway, 'gateway' | 'upstream' | 'moreExpensive'>,
    opened: AsyncDisposableStack,
  ) {
    this.gateway = parts.gateway;
    this.upstream = parts.upstream;
    this.moreExpensive = parts.moreExpensive;
    this.#opened = opened;
  }

  ask(format: ClientFormatId, fields: JsonObject, asker: Asker = this.gateway.account): Promise<Response> {
    const { path, body } = LEAST[format];
    return this.gateway.post(path, { ...body, ...fields }, { 'x-api-key': asker.apiKey });
  }

  /** Gives an organization its own key. */
  bring({ organizationId }: TestAccount, providerId: string): Promise<ProviderKeyRecord> {
    const { directory } = this.gateway.accounts;
    return directory.setProviderKey(
      { organizationId, providerId, apiKey: 'sk-of-its-own' },
      this.gateway.terms,
    );
  }

  /** Checks a 403 for an object, at cost 0, whose message contains these words. */
  async assertNotAllowed(format: ClientFormatId, response: Response, ...words: string[]): Promise<void> {
    const expected = { format, status: 403, code: 'object_not_allowed' } as const;
    const message = await assertRefused(this.gateway, response, expected);
    for (const word of [...words, 'bring your own provider key'])
      assert.ok(message.includes(word), `${word}: ${message}`);
  }

  clear(): void {
    this.upstream.clear();
    this.moreExpensive.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync();
  }
}

export async function openAccountGateway(): Promise<AccountGateway> {
  await using opened = new AsyncDisposableStack();
  const upstream = opened.use(await startMockUpstream());
  const moreExpensive = opened.use(await startMockUpstream());
  const config = [
    createFormatProviders(upstream).trimEnd(),
    '  - id: mock-expensive',
    '    format: messages',
    `    baseUrl: ${moreExpensive.baseUrl}`,
    '    apiKey: mock-key',
    '    models:',
    '      - { id: messages-small, contextLength: 100000, maxOutput: 1000, price: { input: "9", output: "9" } }',
    '',
  ].join('\n');
  const gateway = opened.use(await openInProcess({ config }));
  return new AccountGateway({ gateway, upstream, moreExpensive }, opened.move());
}

/** A whole answer of the test's own. */
export function json(body: JsonObject): Reply {
  return (exchange) => exchange.sendJson(body);
}

/** The same as events. */
export function events(...list: (JsonObject & { type: string })[]): Reply {
  return async (exchange) => {
    await exchange.sendHead(200, { 'content-type': 'text/event-stream' });
    for (const event of list)
      await exchange.sendBody(formatSse({ event: event.type, data: JSON.stringify(event) }));
    await exchange.end();
  };
}

/** A user turn in parts. */
export const user = (...content: JsonObject[]): JsonValue[] => [{ role: 'user', content }];

/** An empty response. */
export const RESPONSE: JsonObject = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'responses-small',
  output: [],
  usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
};

const CONTAINER = { id: 'container_a', expires_at: '2099-01-01T00:00:00Z', skills: null };
const RESULT = {
  type: 'code_execution_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: {
    type: 'code_execution_result',
    stdout: 'file_told',
    stderr: '',
    return_code: 0,
    content: [{ type: 'code_execution_output', file_id: 'file_a' }],
  },
};
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'messages-small',
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 5 },
};
/** A Message whose code has created a file in a container. */
export const messageJson = json({
  ...MESSAGE,
  content: [RESULT, { type: 'text', text: 'Made.' }],
  stop_reason: 'end_turn',
  container: CONTAINER,
});
/** The same as events. */
export const messageEvents = events(
  { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null, container: null } },
  { type: 'content_block_start', index: 0, content_block: RESULT },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null, container: CONTAINER },
    usage: { output_tokens: 5 },
  },
  { type: 'message_stop' },
);
