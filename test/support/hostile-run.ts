import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { HostileAnswer, HostileNews, HostileOrders } from './hostile-worker.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { EVERY_MEDIUM } from './mock-providers.ts';
import { createTemporaryFolder } from './temporary.ts';

interface HostilePlan {
  /** How large the bodies are. */
  bytes: number;
  /** Takes each nth of them. */
  every: number;
  /** Takes those whose name contains this. */
  only?: string;
  report(line: string): void;
}

/** Waits of one thing asked again and again. */
export interface Waits {
  count: number;
  /** Statuses that were none of success. */
  refused: string[];
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

interface HostileReport {
  answers: HostileAnswer[];
  /** Of `/livez` and of another key's small requests: alone, and beside the hostile ones. */
  idle: Record<'livez' | 'chat', Waits>;
  busy: Record<'livez' | 'chat', Waits>;
  /** The gateway's own account: how long its event loop was held, by the clock and by the processor's, and the memory it took, at most. */
  loop: { p99Ms: number; maxMs: number; heldMs: number; rssMiB: number };
  /** Requests of the path that keeps a row, and how many of them have none. */
  rows: { asked: number; missing: string[] };
}

const PROBE = fileURLToPath(new URL('loop-probe.ts', import.meta.url));
const IDLE_MS = 3_000;
const PAUSE_MS = 15;
const OK = JSON.stringify({
  id: 'c',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
});

/** Sends hostile bodies of every endpoint, four at once, while another key asks for little. */
export async function runHostile(plan: HostilePlan): Promise<HostileReport> {
  const folder = createTemporaryFolder('sluice-hostile-');
  const probe = `${folder.path}/loop.json`;
  const quiet = createServer((request, response) => {
    request.resume().on('end', () => response.end(OK));
  }).listen(0, '127.0.0.1');
  await once(quiet, 'listening');
  await using attack = await openAttack();
  await using gateway = await startGateway({
    config: createConfig(attack.upstream, `http://127.0.0.1:${(quiet.address() as AddressInfo).port}`),
    nodeOptions: ['--import', PROBE],
    env: { LOOP_PROBE: probe },
  });
  await gateway.cli('projects', 'cache-marks', gateway.line.project_id, 'on');
  const { authorization } = await gateway.createKey('--label', 'quiet');
  const askers = {
    livez: createAsker(gateway, '/livez'),
    chat: createAsker(gateway, '/v1/chat/completions', authorization),
  };
  await askers.chat.askFor(500);
  const idle = await askBoth(askers, sleep(IDLE_MS));
  plan.report(`alone: livez ${describe(idle.livez)}, chat ${describe(idle.chat)}`);
  gateway.process.kill('SIGUSR2');
  const answers: HostileAnswer[] = [];
  const { url, apiKey, adminKey } = gateway;
  const over = attack.begin(
    { url, apiKey, adminKey, bytes: plan.bytes, every: plan.every, only: plan.only ?? '' },
    (answer) => {
      answers.push(answer);
      if (answers.length % 25 === 0)
        plan.report(`${answers.length} bodies; the last: ${answer.name} ${answer.status}`);
    },
  );
  const busy = await askBoth(askers, over);
  await sleep(300); // the probe writes every tenth of a second
  const loop = JSON.parse(readFileSync(probe, 'utf8')) as HostileReport['loop'];
  const rows = await checkRows(gateway, answers);
  quiet.close();
  quiet.closeAllConnections();
  folder.remove();
  return { answers, idle, busy, loop, rows };
}

function createConfig(hostile: string, quiet: string): string {
  const provider = (id: string, model: string, place: string): string[] => [
    `  - { id: ${id}, ${place}, apiKey: k, models: [{ id: ${model}, ${EVERY_MEDIUM},`,
    '      contextLength: 100000000, maxOutput: 1000, price: { input: "0.01", output: "0.01" } }] }',
  ];
  return [
    'providers:',
    ...provider('hostile', 'hostile-chat', `format: chat, baseUrl: ${hostile}/v1`),
    ...provider('hostile-m', 'hostile-messages', `format: messages, baseUrl: ${hostile}/v1`),
    ...provider('hostile-g', 'hostile-gemini', `format: gemini, baseUrl: ${hostile}/v1beta`),
    ...provider('quiet', 'quiet-chat', `format: chat, baseUrl: ${quiet}/v1`),
    '',
  ].join('\n');
}

interface Attack extends AsyncDisposable {
  upstream: string;
  /** Resolves when all is sent. */
  begin(orders: HostileOrders, onAnswer: (answer: HostileAnswer) => void): Promise<unknown>;
}

/** In its own thread, because creating bodies of 32 MiB is expensive. */
async function openAttack(): Promise<Attack> {
  const worker = new Worker(new URL('hostile-worker.ts', import.meta.url), { execArgv: [] });
  const [first] = (await once(worker, 'message')) as [HostileNews];
  return {
    upstream: 'upstream' in first ? first.upstream : '',
    begin: (orders, onAnswer) => {
      const { promise, resolve, reject } = Promise.withResolvers<HostileNews>();
      worker.on('message', (news: HostileNews) => {
        if ('answer' in news) onAnswer(news.answer);
        else resolve(news);
      });
      worker.on('error', reject);
      worker.postMessage(orders);
      return promise;
    },
    [Symbol.asyncDispose]: async () => {
      await worker.terminate();
    },
  };
}

interface Asker {
  /** Sends requests until stopped. */
  ask(until: AbortSignal): Promise<Waits>;
  askFor(ms: number): Promise<Waits>;
}

function createAsker(gateway: Gateway, path: string, authorization?: string): Asker {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = JSON.stringify({
    model: 'quiet-chat',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'hi' }],
  });
  const askOnce = async (): Promise<string | undefined> => {
    const request = send(`${gateway.url}${path}`, {
      agent,
      method: authorization === undefined ? 'GET' : 'POST',
      headers: authorization === undefined ? {} : { authorization, 'content-type': 'application/json' },
    });
    request.end(authorization === undefined ? undefined : body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const answer = await text(response);
    return response.statusCode === 200 ? undefined : `${response.statusCode} ${answer}`;
  };
  const ask = async (until: AbortSignal): Promise<Waits> => {
    const waits: number[] = [];
    const refused: string[] = [];
    while (!until.aborted) {
      const startedMs = performance.now();
      const refusal = await askOnce();
      waits.push(performance.now() - startedMs);
      if (refusal !== undefined) refused.push(refusal);
      await sleep(PAUSE_MS);
    }
    return summarize(waits, refused);
  };
  return { ask, askFor: (ms) => ask(AbortSignal.timeout(ms)) };
}

async function askBoth(
  { livez, chat }: Record<'livez' | 'chat', Asker>,
  work: Promise<unknown>,
): Promise<HostileReport['idle']> {
  const over = new AbortController();
  const waits = Promise.all([livez.ask(over.signal), chat.ask(over.signal)]);
  await Promise.race([work, waits]).finally(() => over.abort());
  const [ofLivez, ofChat] = await waits;
  return { livez: ofLivez, chat: ofChat };
}

function summarize(waits: readonly number[], refused: string[]): Waits {
  const sorted = waits.toSorted((one, other) => one - other);
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { count: sorted.length, refused, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

export function describe({ count, p50Ms, p99Ms, maxMs }: Waits): string {
  return `p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(0)}, most ${maxMs.toFixed(0)} ms of ${count}`;
}

/** Every request with a caller has a row. */
async function checkRows(
  gateway: Gateway,
  answers: readonly HostileAnswer[],
): Promise<HostileReport['rows']> {
  const asked = answers.filter(
    ({ name, requestId }) => requestId !== '' && !/admin|session_tokens/.test(name),
  );
  const missing: string[] = [];
  for (const { name, requestId } of asked) {
    const response = await gateway.request(`/admin/v1/logs/${requestId}`, {
      headers: { authorization: `Bearer ${gateway.adminKey}` },
    });
    await response.arrayBuffer();
    if (response.status !== 200) missing.push(name);
  }
  return { asked: asked.length, missing };
}
