import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { SseParser, formatSse, parseJsonObject } from '#base';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { RawClient } from '../support/raw-client.ts';
import { createSeededRandom } from '../support/seeded-random.ts';
import { until } from '../support/until.ts';
import type { Truth } from '../support/upstream-exchange.ts';
import { type AnswerPlan, createAnswerEvents } from '../support/upstream-answers.ts';
import { type Reply, answer, haltedAnswer } from '../support/upstream-replies.ts';
import { cutBytes } from '../support/byte-cuts.ts';
import { sendPatiently } from '../support/send-patiently.ts';

const PATHS = ['/v1/chat/completions', '/v1/messages'];
const MODELS = ['chat-model', 'messages-model'];
const MEBIBYTE = 1024 * 1024;
const SEED = 20261121;

let upstream: MockUpstream;
let gateway: Gateway;

before(async () => {
  upstream = await startMockUpstream();
  const providers = ['chat', 'messages'].flatMap((format) => [
    `  - id: mock-${format}`,
    `    format: ${format}`,
    `    baseUrl: ${upstream.baseUrl}`,
    '    apiKey: mock-key',
    `    models: [{ id: ${format}-model, contextLength: 50000000, maxOutput: 40000000, price: { input: "3", output: "15" } }]`,
  ]);
  gateway = await startGateway({ config: ['providers:', ...providers, ''].join('\n') });
});

after(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
});

const toBody = (model: string) => ({
  model,
  max_tokens: 30_000_000,
  stream: true,
  messages: [{ role: 'user', content: 'hello' }],
});

interface StreamEvent {
  type?: string;
  delta?: { text?: string };
  choices?: { delta: { content?: string } }[];
}

/** The visible text of a complete event stream of either format; throws where it has no proper end. */
function readText(stream: string): string {
  const parser = new SseParser();
  let text = '';
  let isComplete = false;
  for (const { data } of [...parser.push(Buffer.from(stream)), ...parser.close()]) {
    if (data === '[DONE]') isComplete = true;
    const event = parseJsonObject(data) as StreamEvent | undefined;
    if (event?.type === 'message_stop') isComplete = true;
    text += event?.delta?.text ?? event?.choices?.[0]?.delta.content ?? '';
  }
  assert.ok(isComplete, stream.slice(-300));
  return text;
}

/** The body of a chunked response. */
function joinChunks(response: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = response.indexOf('\r\n\r\n') + 4; at < response.length;) {
    const lineEnd = response.indexOf('\r\n', at);
    const size = Number.parseInt(response.toString('latin1', at, lineEnd), 16);
    parts.push(response.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Bytes in the kernel's queues of every connection from or to a port; both ends are on this machine. */
function countQueued(port: number): number {
  const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  return rows.reduce((sum, row) => {
    const [, local = '', remote = '', , queues = ''] = row.trim().split(/\s+/);
    const ports = [local, remote].map((address) => Number.parseInt(address.split(':')[1] ?? '', 16));
    if (!ports.includes(port)) return sum;
    return sum + queues.split(':').reduce((bytes, hex) => bytes + Number.parseInt(hex, 16), 0);
  }, 0);
}

/** What the gateway has read and not passed on; 0 where the queues cannot be read. */
function countAhead({ bytesSent }: Truth): number {
  if (!existsSync('/proc/net/tcp')) return 0;
  return bytesSent - countQueued(upstream.port) - countQueued(Number(new URL(gateway.url).port));
}

for (const path of PATHS) {
  for (const model of MODELS) {
    describe(`${path} → ${model}`, () => {
      test('a reader that stops pauses the provider, at most 1 MiB is read ahead, and nothing is lost', async (t) => {
        const text = 'abcdefgh'.repeat((20 * MEBIBYTE) / 8);
        upstream.clear();
        upstream.script({ reply: answer({ text, chunks: 2_560 }) });
        using client = await RawClient.open(gateway.url);
        client.stopReading();
        client.post(path, toBody(model), { authorization: `Bearer ${gateway.apiKey}` });
        await upstream.waitForRequests(1);
        const [truth] = upstream.truths;
        assert.ok(truth);
        // A busy machine may leave the gateway without its turn for a while: what matters is where it comes to rest.
        let ahead = 0;
        let before = -1;
        const isAtRest = (): boolean => {
          const isStill = before === truth.bytesSent && before >= MEBIBYTE;
          before = truth.bytesSent;
          ahead = countAhead(truth);
          return isStill && ahead < MEBIBYTE;
        };
        await until('it waits with less than 1 MiB read ahead', isAtRest, 150);
        assert.ok(truth.bytesSent < text.length, 'the provider waits');
        t.diagnostic(`${ahead} bytes read ahead`);
        client.continueReading();
        await client.waitForTail('0\r\n\r\n');
        assert.equal(readText(joinChunks(client.receivedBuffer)) === text, true, 'every byte, in order');
      });

      test('text survives whatever places its bytes are cut at', async () => {
        const text = 'naïve 你好, 🎉👩‍👩‍👧‍👦 ‮rtl‬ "quoted" \\ \u2028 end ✓'.repeat(4);
        const random = createSeededRandom(SEED);
        for (let round = 0; round < 5; round += 1) {
          upstream.clear();
          upstream.script({ reply: answerInPieces({ text, chunks: 9 }, random) });
          const response = await gateway.post(path, toBody(model));
          assert.equal(readText(await response.text()), text, `seed ${SEED}, round ${round}`);
        }
      });

      test('an event is passed on when it arrives, not when the answer is over', async () => {
        upstream.clear();
        const rest = Promise.withResolvers<undefined>();
        upstream.script({ reply: haltedAnswer(rest.promise, { text: 'one two three', chunks: 3 }) });
        const response = await gateway.post(path, toBody(model));
        const decoder = new TextDecoder();
        let seen = '';
        for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
          seen += decoder.decode(part, { stream: true });
          if (seen.includes('"one ')) rest.resolve(undefined);
        }
        assert.equal(readText(seen), 'one two three');
      });
    });
  }
}

function answerInPieces(plan: AnswerPlan, random: () => number): Reply {
  return async (exchange) => {
    const bytes = Buffer.from(createAnswerEvents(plan, exchange.truth).map(formatSse).join(''));
    const places = Array.from({ length: 80 }, () => Math.floor(random() * bytes.length));
    await exchange.sendHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of cutBytes(bytes, places)) {
      await exchange.sendBody(Buffer.from(piece));
      await exchange.pause(1);
    }
    await exchange.end();
  };
}

test('200 simultaneous streams each get their own text', async () => {
  upstream.clear();
  upstream.script({ reply: answer({ chunks: 10 }, 20) });
  const ask = async (number: number): Promise<void> => {
    const path = PATHS[number % 2] ?? '';
    const content = `words of caller ${number}`;
    const messages = [{ role: 'user', content }];
    const body = { model: MODELS[(number >> 1) % 2], max_tokens: 100, stream: true, messages };
    const response = await sendPatiently(() => gateway.post(path, body));
    assert.equal(readText(await response.text()), `echo: ${content}`);
  };
  await Promise.all(Array.from({ length: 200 }, (_, number) => ask(number)));
});

test('the ledger is consistent afterwards', async () => {
  const { code, stdout } = await gateway.cli('ledger', 'check');
  assert.equal(code, 0, stdout);
});
