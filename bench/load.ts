import { type Socket, connect } from 'node:net';
import { parseJsonObject } from '#base';
import { toPercentiles } from '../test/support/percentiles.ts';

/** The plan of one run of the load generator. */
export interface LoadPlan {
  url: string;
  headers: Record<string, string>;
  body: string;
  connections: number;
  warmMs: number;
  measureMs: number;
  /** `hold` opens that many streams, prints a line, and keeps them until its standard input ends. */
  mode: 'loop' | 'hold';
}

export interface LoadResult {
  complete: number;
  failed: number;
  /** A description of the first failure. */
  failure?: string;
  seconds: number;
  latencyMs: { p50: number; p99: number };
  firstByteMs: { p50: number; p99: number };
}

const TAIL_BYTES = 96;
const END_OF_CHUNKS = '0\r\n\r\n';

/** One keep-alive connection that sends its next request as soon as an answer is complete. */
class Caller {
  readonly #request: Buffer;
  readonly #target: { host: string; port: number };
  readonly #onAnswer: (caller: Caller, failure?: string) => void;
  #socket: Socket | undefined;
  #startedAt = 0;
  #head = '';
  #bodyLeft = -1;
  #tail = '';
  firstByteMs = 0;
  totalMs = 0;

  constructor(plan: LoadPlan, onAnswer: (caller: Caller, failure?: string) => void) {
    const url = new URL(plan.url);
    const fields = {
      host: url.host,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(plan.body)),
      ...plan.headers,
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#request = Buffer.from(`POST ${url.pathname} HTTP/1.1\r\n${lines.join('')}\r\n${plan.body}`);
    this.#target = { host: url.hostname, port: Number(url.port) };
    this.#onAnswer = onAnswer;
  }

  send(): void {
    this.#head = '';
    this.#tail = '';
    this.#bodyLeft = -1;
    this.firstByteMs = 0;
    this.#startedAt = performance.now();
    this.#socket ??= this.#connect();
    this.#socket.write(this.#request);
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connect(): Socket {
    const socket = connect({ ...this.#target, noDelay: true });
    socket.on('data', (bytes) => {
      this.#read(bytes);
    });
    socket.on('error', (error) => {
      this.#fail(error.message);
    });
    socket.on('close', () => {
      if (this.#socket === socket) this.#fail('closed');
    });
    return socket;
  }

  #fail(failure: string): void {
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) return;
    socket.destroy();
    this.#onAnswer(this, failure);
  }

  #read(bytes: Buffer): void {
    let body = bytes;
    if (this.#bodyLeft === -1) {
      if (this.firstByteMs === 0) this.firstByteMs = performance.now() - this.#startedAt;
      this.#head += bytes.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head.slice(0, end + 2));
      this.#bodyLeft = length ? Number(length[1]) : Number.POSITIVE_INFINITY;
      body = Buffer.from(this.#head.slice(end + 4), 'latin1');
    }
    this.#bodyLeft -= body.length;
    const recent = body.length > TAIL_BYTES ? body.subarray(-TAIL_BYTES) : body;
    this.#tail = (this.#tail + recent.toString('latin1')).slice(-TAIL_BYTES);
    if (this.#bodyLeft <= 0 || this.#tail.endsWith(END_OF_CHUNKS)) this.#finish();
  }

  #finish(): void {
    this.totalMs = performance.now() - this.#startedAt;
    const good =
      this.#head.startsWith('HTTP/1.1 200') &&
      (this.#bodyLeft <= 0 || /\[DONE\]|message_stop/.test(this.#tail));
    this.#onAnswer(this, good ? undefined : `${this.#head.slice(0, 300)} … ${this.#tail}`);
  }
}

async function loop(plan: LoadPlan): Promise<LoadResult> {
  const totals: number[] = [];
  const firsts: number[] = [];
  let [measuring, failed, stopped, seconds] = [false, 0, false, 0];
  let failure: string | undefined;
  const onAnswer = (caller: Caller, problem?: string): void => {
    if (problem !== undefined) {
      failed += 1;
      failure ??= problem;
    } else if (measuring) {
      totals.push(caller.totalMs);
      firsts.push(caller.firstByteMs);
    }
    if (stopped) caller.close();
    else if (problem === undefined) caller.send();
    else setTimeout(() => caller.send(), 10);
  };
  const callers = Array.from({ length: plan.connections }, () => new Caller(plan, onAnswer));
  for (const caller of callers) caller.send();
  await sleep(plan.warmMs);
  measuring = true;
  console.log(JSON.stringify({ started: true }));
  const startedAt = performance.now();
  await sleep(plan.measureMs);
  measuring = false;
  seconds = (performance.now() - startedAt) / 1000;
  stopped = true;
  for (const caller of callers) caller.close();
  return {
    complete: totals.length,
    failed,
    ...(failure !== undefined && { failure }),
    seconds,
    latencyMs: toPercentiles(totals),
    firstByteMs: toPercentiles(firsts),
  };
}

/** Opens streams a few at a time and keeps them; the result counts those that were open at the end. */
async function hold(plan: LoadPlan): Promise<LoadResult> {
  const startedAt = performance.now();
  let failed = 0;
  let failure: string | undefined;
  const callers: Caller[] = [];
  while (callers.length < plan.connections) {
    const caller = new Caller(plan, (_, problem) => {
      failed += 1;
      failure ??= problem ?? 'ended early';
    });
    caller.send();
    callers.push(caller);
    if (callers.length % 10 === 0) await sleep(15);
  }
  while (callers.some((caller) => caller.firstByteMs === 0) && failed === 0) await sleep(50);
  console.log(JSON.stringify({ open: callers.length }));
  const firsts = callers.map((caller) => caller.firstByteMs);
  await new Promise((resolve) => process.stdin.once('end', resolve));
  const result: LoadResult = {
    complete: callers.length - failed,
    failed,
    ...(failure !== undefined && { failure }),
    seconds: (performance.now() - startedAt) / 1000,
    latencyMs: { p50: 0, p99: 0 },
    firstByteMs: toPercentiles(firsts),
  };
  for (const caller of callers) caller.close();
  return result;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The plan is the first line of the standard input, which then stays open. */
function readPlan(): Promise<LoadPlan> {
  return new Promise((resolve) => {
    let input = '';
    process.stdin.on('data', (bytes: Buffer) => {
      input += bytes.toString();
      const end = input.indexOf('\n');
      if (end !== -1) resolve(parseJsonObject(input.slice(0, end)) as unknown as LoadPlan);
    });
  });
}

if (import.meta.main) {
  const plan = await readPlan();
  console.log(JSON.stringify(await (plan.mode === 'hold' ? hold(plan) : loop(plan))));
  process.exit(0);
}
