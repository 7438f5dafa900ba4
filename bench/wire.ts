import { SseParser, formatSse, parseJsonObject } from '#base';
import { createTarget, openPassage } from '../test/support/exchanges.ts';
import { createAnswerEvents } from '../test/support/upstream-answers.ts';
import { createTruth } from '../test/support/upstream-exchange.ts';
import { createBody } from './bodies.ts';

type Format = 'chat' | 'messages';
const FORMATS: readonly Format[] = ['messages', 'chat'];

/** What translation alone costs, in this process: bodies in, bodies out; chunks in, frames out. */
const BUDGET_MS = process.argv.includes('--quick') ? 150 : 600;
const SIZES = [2000, 200_000];
const CHUNKS = 100;

/** Microseconds per call, the best of five slices of the budget: the rest is the machine's noise. */
function time(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let slice = 0; slice < 5; slice += 1) {
    const endsAt = performance.now() + BUDGET_MS / 5;
    const startedAt = performance.now();
    let calls = 0;
    while (performance.now() < endsAt) {
      work();
      calls += 1;
    }
    best = Math.min(best, ((performance.now() - startedAt) / calls) * 1000);
  }
  return best;
}

function timeRequest(client: Format, upstream: Format, bytes: number): { translated: number; bare: number } {
  const text = createBody({ format: client, model: 'm', bytes, stream: true });
  const { inbound, outbound } = openPassage(client, createTarget(upstream), upstream);
  const target = createTarget(upstream);
  const translated = time(() => {
    const request = inbound.decodeRequest(parseJsonObject(text) ?? {}, {});
    return JSON.stringify(outbound.openExchange(request, target).body);
  });
  return { translated, bare: time(() => JSON.stringify(parseJsonObject(text))) };
}

function timeStream(client: Format, upstream: Format): number {
  const body = Buffer.from(
    JSON.stringify({ model: 'm', stream: true, stream_options: { include_usage: true } }),
  );
  const path = upstream === 'messages' ? '/v1/messages' : '/v1/chat/completions';
  const truth = createTruth(0, { method: 'POST', path, headers: {}, body });
  const packets = createAnswerEvents({ text: 'word '.repeat(CHUNKS), chunks: CHUNKS }, truth).map((event) =>
    Buffer.from(formatSse(event)),
  );
  const { inbound, exchange, context } = openPassage(client, createTarget(upstream), upstream);
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

console.log('client → upstream      request 2 KB        request 200 KB      per chunk');
for (const client of FORMATS) {
  for (const upstream of FORMATS) {
    const cells = SIZES.map((bytes) => {
      const { translated, bare } = timeRequest(client, upstream, bytes);
      return `${translated.toFixed(0)} µs (JSON ${bare.toFixed(0)})`.padEnd(20);
    });
    console.log(
      `${`${client} → ${upstream}`.padEnd(23)}${cells.join('')}${timeStream(client, upstream).toFixed(2)} µs`,
    );
  }
}
