import { Worker } from 'node:worker_threads';

/** Texts sent to the counting thread. */
export interface TokenTexts {
  id: number;
  texts: readonly string[];
}

/** The counting thread's answer. */
export interface TokenCount {
  id: number;
  tokens: number;
}

/** Next to this file in a checkout, and next to the bundle that contains this file. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? 'token-worker.ts' : 'token-worker.js',
  import.meta.url,
);

/** Counts tokens in a thread that starts on first use and does not keep the process alive. */
class TokenCounter {
  #worker: Worker | undefined;
  #asked = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<number>>();

  count(texts: readonly string[]): Promise<number> {
    const worker = (this.#worker ??= this.#start());
    const id = (this.#asked += 1);
    const answer = Promise.withResolvers<number>();
    this.#waiting.set(id, answer);
    worker.postMessage({ id, texts } satisfies TokenTexts);
    return answer.promise;
  }

  #start(): Worker {
    const worker = new Worker(THREAD, { execArgv: [] });
    worker.on('message', ({ id, tokens }: TokenCount) => {
      this.#waiting.get(id)?.resolve(tokens);
      this.#waiting.delete(id);
    });
    worker.on('error', (error) => this.#fail(error));
    worker.unref();
    return worker;
  }

  /** Pending counts are rejected; the next one starts a new thread. */
  #fail(error: unknown): void {
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

const counter = new TokenCounter();

export function countTokensOf(texts: readonly string[]): Promise<number> {
  return counter.count(texts);
}
