import type { LogRow } from '#logs';
import { awaitEarlier } from './await-earlier.ts';
import { type Books, openBooks } from './books.ts';
import {
  ASKED,
  type BillRecord,
  BillingProvider,
  HIDDEN_RATE,
  type Habit,
  hasBegun,
} from './billing-provider.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { startMockUpstream } from './mock-upstream.ts';
import { RawClient } from './raw-client.ts';
import { until } from './until.ts';

export const PATH = '/v1/messages';
/** USD per million tokens. */
const PRICE = { input: 3n, output: 15n };

/** A request whose client has disconnected: its row, and what the provider bills for it. */
export interface Departure {
  text: string;
  row: LogRow;
  record: BillRecord | undefined;
  /** On the monotonic clock. */
  sentAtMs: number;
  leftAtMs: number;
}

/** A gateway in front of a provider that keeps its own bill. */
export interface LeavingSetup extends AsyncDisposable {
  gateway: Gateway;
  books: Books;
  provider: BillingProvider;
}

export async function openLeaving(timeouts: { afterLeavingMs: number }, more = ''): Promise<LeavingSetup> {
  const upstream = await startMockUpstream();
  const gateway = await startGateway({ config: createConfig(upstream.baseUrl, timeouts) + more });
  const books = await openBooks(gateway.dataDir);
  return {
    gateway,
    books,
    provider: new BillingProvider(upstream),
    [Symbol.asyncDispose]: async () => {
      await books[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
      await upstream.close();
    },
  };
}

const PROVIDERS: Record<string, Habit[]> = {
  streams: ['stops', 'hidden', 'json'],
  none: ['toEnd', 'silent'],
};

function createConfig(baseUrl: string, { afterLeavingMs }: { afterLeavingMs: number }): string {
  const price = `{ input: "${PRICE.input}", output: "${PRICE.output}" }`;
  const model = (id: string): string =>
    `      - { id: ${id}-model, contextLength: 100000, maxOutput: 4000, reasoning: true, price: ${price} }`;
  const providers = Object.entries(PROVIDERS).flatMap(([cancellation, habits]) => [
    `  - id: mock-${cancellation}`,
    '    format: messages',
    `    baseUrl: ${baseUrl}`,
    '    apiKey: mock-key',
    `    cancellation: ${cancellation}`,
    '    models:',
    ...habits.map(model),
  ]);
  const head = [`timeouts: { afterLeavingMs: ${afterLeavingMs} }`, 'providers:'];
  return [...head, ...providers, ...FREE(baseUrl), ''].join('\n');
}

/** A provider without prices. */
const FREE = (baseUrl: string): string[] => [
  '  - id: mock-free',
  '    format: messages',
  `    baseUrl: ${baseUrl}`,
  '    apiKey: mock-key',
  '    models:',
  '      - { id: free-model, price: { input: "0", output: "0" } }',
];

/** The request whose text is `text`, which begins with a habit. */
export function createRequest(text: string): object {
  const habit = text.split(' ')[0] as Habit;
  return {
    model: `${habit}-model`,
    max_tokens: 4_000,
    stream: habit !== 'json',
    messages: [{ role: 'user', content: text }],
    ...(habit === 'hidden' && { thinking: { type: 'enabled', budget_tokens: 2_000 } }),
  };
}

/** What a client must have received when it leaves, by moment. */
const SEEN: readonly ((received: string) => boolean)[] = [
  ...Array.from({ length: 5 }, () => () => true),
  (received) => received.includes('message_start'),
  (received) => /message_start[^]*thinking/.test(received),
  (received) => received.includes('text_delta'),
  (received) => received.split('"text_delta"').length === 11,
  (received) => received.includes('input_json_delta'),
  (received) => received.split('input_json_delta').length === 3,
  (received) => /message_stop|"stop_reason": ?"end_turn"/.test(received),
];

interface Leaving {
  habit: Habit;
  moment: number;
  authorization: string;
}

/** Leaves a request at a moment of its answer. */
export async function leaveAt(setup: LeavingSetup, leaving: Leaving): Promise<Departure> {
  const { gateway, provider } = setup;
  const { habit, moment } = leaving;
  const text = `${habit} ${moment}`;
  const halt = provider.haltAt(text, moment);
  using client = await RawClient.open(gateway.url);
  const sentAtMs = performance.now();
  if (moment < ASKED) sendPart(client, text, leaving);
  else {
    const { authorization } = leaving;
    client.post(PATH, createRequest(text), { authorization, 'x-request-id': text });
    await halt.reached;
    const isShown = hasBegun(habit, moment) && !(habit === 'hidden' && moment === 6);
    if (isShown) await client.waitFor(SEEN[moment] ?? (() => true));
  }
  const leftAtMs = performance.now();
  if (moment % 2 === 0) client.reset();
  else client.close();
  // By the second answer the gateway has noticed that this client has disconnected.
  await awaitEarlier(gateway);
  halt.release();
  return { text, row: await waitForRow(setup, text), record: provider.find(text), sentAtMs, leftAtMs };
}

/** A part of the request. */
function sendPart(client: RawClient, text: string, { authorization, moment }: Leaving): void {
  const body = JSON.stringify(createRequest(text));
  const headers = {
    host: 'localhost',
    authorization,
    'content-type': 'application/json',
    'content-length': String(body.length),
    'x-request-id': text,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const sent = moment === 0 ? '' : body.slice(0, body.length / 2);
  client.send(`POST ${PATH} HTTP/1.1\r\n${lines.join('')}\r\n${sent}`);
}

/** The row of the request with a text, once it is settled. */
async function waitForRow({ books }: LeavingSetup, text: string): Promise<LogRow> {
  let id: string | undefined;
  await until(`a row for “${text}”`, async () => {
    const { rows } = await books.database.query<{ id: string }>({
      text: 'SELECT request_id AS id FROM request_log WHERE client_request_id = $1',
      values: [text],
    });
    id = rows[0]?.id;
    return id !== undefined;
  });
  return books.getRow(id ?? '');
}

const QUIET_ANSWERS = 3;
const MOST_ANSWERS = 20;
/** Of the provider's rate: what the gateway learns from an answer that no busy machine delayed. */
const QUIET_SHARE = 0.8;

/** Answers requests to their ends, so that the gateway learns how fast the model is. */
export async function teachRate(setup: LeavingSetup, authorization: string): Promise<void> {
  const { gateway, provider } = setup;
  for (let number = 0, quiet = 0; number < MOST_ANSWERS && quiet < QUIET_ANSWERS; number += 1) {
    const text = `hidden stays ${number}`;
    const startedMs = performance.now();
    const response = await gateway.post(PATH, createRequest(text), { authorization, 'x-request-id': text });
    await response.text();
    const rate = ((provider.find(text)?.output ?? 0) * 1_000) / (performance.now() - startedMs);
    if (rate > QUIET_SHARE * HIDDEN_RATE) quiet += 1;
  }
}

/**
 * By how many tokens of hidden reasoning the gateway may be off because its clock for an answer starts and ends at other
 * moments than the provider's: on a busy machine long before and after them.
 */
export function countLateTokens(
  record: BillRecord,
  { sentAtMs, leftAtMs }: Pick<Departure, 'sentAtMs' | 'leftAtMs'>,
): number {
  const lateMs = record.askedAtMs - sentAtMs + Math.max(0, (record.closedAtMs ?? leftAtMs) - leftAtMs);
  return Math.ceil((lateMs * HIDDEN_RATE) / 1_000);
}

/** What a record costs, in pico-USD. */
export function priceRecord({ input, output }: Pick<BillRecord, 'input' | 'output'>): bigint {
  return BigInt(input) * PRICE.input * 1_000_000n + BigInt(output) * PRICE.output * 1_000_000n;
}
