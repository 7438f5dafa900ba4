import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Caller } from '#accounts';
import type { PicoUsd } from '#base';
import type { ConnectionOptions } from '#storage';
import { own } from './owned.ts';
import { createEnvironment } from './process-environment.ts';

export interface LedgerProcessOptions {
  connection: ConnectionOptions;
  /** Of its journal. */
  folder: string;
  /** Lines `id cost`: what its provider bills, whatever becomes of the process. */
  truthFile?: string;
  /** Its clock, that of periods, too, is moved by orders. */
  isClockMoved?: boolean;
}

/** What each request of an order holds and costs. */
export interface Spending {
  caller: Caller;
  amount: PicoUsd;
  cost: PicoUsd;
  /** It holds half of `amount` at first and grows to all of it. */
  grows?: boolean;
  /** From its hold to its settlement; 0 by default. */
  durationMs?: number;
}

/**
 * `use`: this many requests at once. `spend`: this many clients send one request after the other until each is refused, or for a time.
 * `flush`: what is settled is written. `move`: its clock is set forward; there is no answer.
 */
export type LedgerOrder =
  | { t: 'use'; spending: Spending; count: number }
  | { t: 'spend'; spending: Spending; clients: number; forMs?: number }
  | { t: 'flush'; caller: Caller }
  | ({ t: 'move' } & ({ toMs: number } | { byMs: number }));

export interface LedgerAnswer {
  served: number;
  /** What the requests that were served cost. */
  spent: PicoUsd;
  /** What each refusal reports as left of the money. */
  leftWhenRefused: PicoUsd[];
  /** The longest time from asking for a hold to having it. */
  slowestMs: number;
  /** Statements of the ledger since the last answer, by name. */
  statements: Record<string, number>;
}

export type LedgerNews = { isReady: true } | { answer: LedgerAnswer } | { fault: string };

const WORKER = fileURLToPath(new URL('ledger-worker.ts', import.meta.url));

/** A ledger in a process of its own, with a journal and leases. */
export class LedgerProcess implements AsyncDisposable {
  readonly folder: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.folder = folder;
  }

  static async start(options: LedgerProcessOptions): Promise<LedgerProcess> {
    const child = fork(WORKER, [JSON.stringify(options)], {
      serialization: 'advanced',
      env: createEnvironment(),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
    });
    own(child);
    const started = new LedgerProcess(child, options.folder);
    await started.#receive();
    return started;
  }

  /** One order at a time. */
  async run(order: LedgerOrder): Promise<LedgerAnswer> {
    this.#child.send(order);
    const news = await this.#receive();
    if (!('answer' in news)) throw new Error('an order was not answered');
    return news.answer;
  }

  /** An order without an answer: the process is not going to finish it, or has none to give. */
  order(order: LedgerOrder): void {
    this.#child.send(order);
  }

  /** It does nothing, as while its machine sleeps, until it is resumed. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    if (this.#child.connected) this.#child.disconnect();
    await exited;
  }

  async #receive(): Promise<LedgerNews> {
    const received = new AbortController();
    const exit = once(this.#child, 'exit', { signal: received.signal }).then(([code]) => {
      throw new Error(`a ledger process exited with ${String(code)}`);
    });
    exit.catch(() => undefined);
    const [news] = (await Promise.race([
      once(this.#child, 'message', { signal: received.signal }),
      exit,
    ])) as [LedgerNews];
    received.abort();
    if ('fault' in news) throw new Error(news.fault);
    return news;
  }
}
