import { cpus } from 'node:os';
import { type SseMessage, SseParser, formatSse, parseJsonObject } from '#base';
import type { ClientFormatId, FormatId } from '#canonical';
import { getInboundFormat, getOutboundFormat } from '#wire';
import { CLIENT_FORMATS, PROVIDER_FORMATS, openCrossing } from '../test/property/every-format.ts';
import { askAs } from '../test/support/ask-as.ts';
import { createTarget } from '../test/support/exchanges.ts';
import { createAnswerEvents } from '../test/support/upstream-answers.ts';
import { createTruth } from '../test/support/upstream-exchange.ts';
import { createBody } from './bodies.ts';

/** The cost of translation alone, in this process: bodies in, bodies out; chunks in, frames out. */
const ROUNDS = process.argv.includes('--quick') ? 2 : 12;
const SLICES = 2;
const SLICE_MS = 30;
const CHUNKS = 100;
/** A pair this many times more expensive than the cheapest one needs a reason in README.md. */
const MOST_RATIO = 2;

interface Pair {
  client: ClientFormatId;
  provider: FormatId;
}

/** The timings of a pair: microseconds for one request or one chunk. */
interface Direction {
  title: string;
  time(pair: Pair): number;
}

const DIRECTIONS: readonly Direction[] = [
  { title: 'request 2 KB', time: (pair) => timeRequest(pair, 2000) },
  { title: 'request 200 KB', time: (pair) => timeRequest(pair, 200_000) },
  { title: 'chunk', time: timeChunk },
];

/** Microseconds of processor time per call, the best of several slices: waiting for a processor is not counted. */
function time(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let slice = 0; slice < SLICES; slice += 1) {
    const endsAt = performance.now() + SLICE_MS;
    const before = process.cpuUsage();
    let calls = 0;
    while (calls < 3 || performance.now() < endsAt) {
      work();
      calls += 1;
    }
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / calls);
  }
  return best;
}

function timeRequest({ client, provider }: Pair, bytes: number): number {
  const text = createBody({ format: client, model: 'm', bytes, stream: true });
  const [inbound, outbound] = [getInboundFormat(client), getOutboundFormat(provider)];
  const target = createTarget(provider);
  return time(() => {
    const request = inbound.decodeRequest(parseJsonObject(text) ?? {}, {});
    return JSON.stringify(outbound.openExchange(request, target).body);
  });
}

function timeChunk(pair: Pair): number {
  const packets = createAnswer(pair.provider).map((event) => Buffer.from(formatSse(event)));
  const { inbound, exchange, context } = openCrossing(pair);
  const perStream = time(() => {
    const parser = new SseParser();
    const decoder = exchange.createStreamDecoder();
    const encoder = inbound.createStreamEncoder(context);
    let length = 0;
    for (const packet of packets) {
      const events = parser.push(packet).flatMap((message) => decoder.push(message));
      for (const event of events)
        length += encoder.push(event).reduce((sum, frame) => sum + formatSse(frame).length, 0);
    }
    return length;
  });
  return perStream / packets.length;
}

/** A text of a hundred deltas. */
function createAnswer(provider: FormatId): SseMessage[] {
  if (provider === 'converse') return createConverseAnswer();
  const body = JSON.stringify({ model: 'm', stream: true, stream_options: { include_usage: true } });
  const request = {
    method: 'POST',
    path: askAs(provider, { stream: true }).path,
    headers: {},
    body: Buffer.from(body),
  };
  const plan = { text: 'word '.repeat(CHUNKS), chunks: CHUNKS };
  return createAnswerEvents(plan, createTruth(0, request)).map(({ event, data }) =>
    event === undefined ? { data } : { event, data },
  );
}

/** As the transport passes it on: without the binary frames. */
function createConverseAnswer(): SseMessage[] {
  const delta = { contentBlockIndex: 0, delta: { text: 'word ' } };
  const events: [string, object][] = [
    ['messageStart', { role: 'assistant' }],
    ...Array.from({ length: CHUNKS }, (): [string, object] => ['contentBlockDelta', delta]),
    ['contentBlockStop', { contentBlockIndex: 0 }],
    ['messageStop', { stopReason: 'end_turn' }],
    ['metadata', { usage: { inputTokens: 20, outputTokens: CHUNKS, totalTokens: CHUNKS + 20 } }],
  ];
  return events.map(([event, payload]) => ({ event, data: JSON.stringify(payload) }));
}

const PAIRS = CLIENT_FORMATS.flatMap((client) =>
  PROVIDER_FORMATS.map((provider): Pair => ({ client, provider })),
);

function toRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Runs all pairs in turns, so that background load affects each of them; the first turn is a warm-up. */
function timePairs(direction: Direction): { cost: number; ratio: number }[] {
  PAIRS.forEach((pair) => direction.time(pair));
  const rounds = Array.from({ length: ROUNDS }, () => PAIRS.map((pair) => direction.time(pair)));
  const costs = PAIRS.map((_, at) => Math.min(...rounds.map((costsOf) => costsOf[at] ?? Infinity)));
  const cheapest = Math.min(...costs);
  return costs.map((cost) => ({ cost, ratio: cost / cheapest }));
}

const columns = DIRECTIONS.map(timePairs);
console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}\n`);
console.log(
  toRow(['client → provider', ...DIRECTIONS.flatMap(({ title }) => [`${title}, µs`, 'ratio']), '']),
);
console.log(toRow(Array.from({ length: DIRECTIONS.length * 2 + 2 }, () => '---')));
PAIRS.forEach(({ client, provider }, at) => {
  const cells = columns.flatMap((column) => column.slice(at, at + 1));
  const figures = cells.flatMap(({ cost, ratio }) => [cost.toFixed(cost < 10 ? 2 : 0), ratio.toFixed(1)]);
  const mark = cells.some(({ ratio }) => ratio > MOST_RATIO) ? '▲' : '';
  console.log(toRow([`${client} → ${provider}`, ...figures, mark]));
});
