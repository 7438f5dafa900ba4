import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { type HttpRequest, HttpReader } from './http-reader.ts';
import { type Truth, UpstreamExchange, createTruth } from './upstream-exchange.ts';
import { findMediaReply } from './upstream-media.ts';
import { type Reply, answer } from './upstream-replies.ts';

/** A rule of the mock provider: the requests it matches and their reply. */
interface Script {
  /** A model name, a text in the body, or a predicate; absent matches every request. */
  match?: { model?: string; marker?: string } | ((truth: Truth) => boolean);
  reply: Reply;
}

/** A provider on a real socket with scripted replies that records its requests. */
export interface MockUpstream extends AsyncDisposable {
  /** With `/v1`, for a provider's `baseUrl`. */
  readonly baseUrl: string;
  readonly port: number;
  /** Every request so far, in order of arrival. */
  readonly truths: readonly Truth[];
  /** Adds a rule; the newest that matches wins. */
  script(script: Script): void;
  /** Clears rules and truths. */
  clear(): void;
  /** Clears truths alone: thousands of long prompts fill the memory. */
  forget(): void;
  /** The truths of requests with a text in their body or in a header value. */
  find(marker: string): Truth[];
  /** Waits until `count` requests have arrived. */
  waitForRequests(count: number, timeoutMs?: number): Promise<void>;
  /** How many connections are open. */
  readonly connections: number;
  /** How many requests are being answered. */
  readonly busy: number;
  /** From now on closes kept-alive connections, without an answer, as their next request arrives; `decide` says which. */
  closeReused(decide: () => boolean): void;
  /** How many connections were closed so. */
  readonly closedReused: number;
  close(): Promise<void>;
}

export async function startMockUpstream(): Promise<MockUpstream> {
  const upstream = new Upstream();
  await upstream.listen();
  return upstream;
}

/** Below the range from which the system takes ports for servers that ask for any: none is opened there by another test. */
const CLOSED_PORTS = { least: 10_000, count: 20_000 };

/** A port of this machine on which nothing listens. */
export async function findClosedPort(): Promise<number> {
  for (;;) {
    const port = CLOSED_PORTS.least + Math.floor(Math.random() * CLOSED_PORTS.count);
    const server = createServer();
    const isFree = new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!(await isFree)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

class Upstream implements MockUpstream {
  readonly truths: Truth[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #exchanges = new Set<UpstreamExchange>();
  #scripts: Script[] = [];
  #waiting: { count: number; resolve: () => void }[] = [];
  #closesReused: () => boolean = () => false;
  closedReused = 0;

  constructor() {
    this.#server = createServer({ noDelay: true }, (socket) => {
      this.#serve(socket);
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#server.unref(); // if a hook failed and the server is not closed, the test file must still exit
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  get busy(): number {
    this.#dropEnded();
    return this.#exchanges.size;
  }

  #dropEnded(): void {
    for (const exchange of this.#exchanges)
      if (exchange.truth.completed || exchange.closed.aborted) this.#exchanges.delete(exchange);
  }

  closeReused(decide: () => boolean): void {
    this.#closesReused = decide;
  }

  script(script: Script): void {
    this.#scripts.unshift(script);
  }

  clear(): void {
    this.#scripts = [];
    this.truths.length = 0;
  }

  forget(): void {
    this.truths.length = 0;
  }

  find(marker: string): Truth[] {
    return this.truths.filter(
      (truth) => truth.rawBody.includes(marker) || Object.values(truth.headers).includes(marker),
    );
  }

  async waitForRequests(count: number, timeoutMs = 60_000): Promise<void> {
    if (this.truths.length >= count) return;
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      reject(
        new Error(`the mock upstream saw ${this.truths.length} of ${count} requests in ${timeoutMs} ms`),
      );
    }, timeoutMs);
    this.#waiting.push({ count, resolve: () => resolve(undefined) });
    await promise.finally(() => clearTimeout(timer));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    const reader = new HttpReader();
    let current: UpstreamExchange | undefined;
    let queue = Promise.resolve();
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (current?.truth.completed === true && this.#closesReused()) {
        this.#closeReused(socket);
        return;
      }
      for (const request of reader.push(bytes)) {
        queue = queue.then(async () => {
          current = this.#open(request, socket);
          await this.#reply(current);
        });
      }
    });
    socket.on('close', () => {
      this.#sockets.delete(socket);
      current?.recordClose();
    });
  }

  /** By a FIN and by a reset in turn. */
  #closeReused(socket: Socket): void {
    this.closedReused += 1;
    if (this.closedReused % 2 === 0) socket.resetAndDestroy();
    else socket.destroy();
  }

  #open(request: HttpRequest, socket: Socket): UpstreamExchange {
    const truth = createTruth(this.truths.length, request);
    this.truths.push(truth);
    const exchange = new UpstreamExchange(truth, socket);
    this.#dropEnded(); // they keep their prompts
    this.#exchanges.add(exchange);
    if (socket.destroyed) exchange.recordClose();
    this.#waiting = this.#waiting.filter((waiter) => {
      if (this.truths.length < waiter.count) return true;
      waiter.resolve();
      return false;
    });
    return exchange;
  }

  async #reply(exchange: UpstreamExchange): Promise<void> {
    const script = this.#scripts.find((candidate) => matches(candidate, exchange.truth));
    if (script) await script.reply(exchange);
    else await replyByPath(exchange);
  }
}

function matches({ match }: Script, truth: Truth): boolean {
  if (match === undefined) return true;
  if (typeof match === 'function') return match(truth);
  if (match.model !== undefined && truth.body['model'] !== match.model) return false;
  return match.marker === undefined || truth.rawBody.includes(match.marker);
}

/** Token counters, and the member of their answers. */
const COUNTERS = [
  ['/messages/count_tokens', 'input_tokens'],
  ['/responses/input_tokens', 'input_tokens'],
  [':countTokens', 'totalTokens'],
] as const;

async function replyByPath(exchange: UpstreamExchange): Promise<void> {
  const [path = ''] = exchange.truth.path.split('?');
  const [, member] = COUNTERS.find(([ending]) => path.endsWith(ending)) ?? [];
  if (member !== undefined) {
    await exchange.sendJson({ [member]: exchange.truth.inputTokens });
    return;
  }
  if (/\/chat\/completions$|\/messages$|enerateContent$/.test(path)) {
    await answer()(exchange);
    return;
  }
  const media = findMediaReply(path);
  if (media) {
    await media(exchange);
    return;
  }
  const message = `The mock provider has no answer at ${path}; test/support/upstream-media lists those of media.`;
  await exchange.sendJson({ error: { message } }, 404);
}
