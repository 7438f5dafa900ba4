import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject, isJsonObject, parseJson } from '#base';
import { createSeededRandom } from '../seeded-random.ts';

/** A client's view of one request. */
export interface Asked {
  id: string;
  model: string;
  stream: boolean;
  /** On the monotonic clock, as all times. */
  startedMs: number;
  /** When the first event of a stream arrived. */
  firstMs?: number;
  endedMs?: number;
  /** `whole`, or why it was not: a status, `left`, `cut`, `mixed`, `lost`; `open` until then. */
  outcome: string;
  /** The message of an error. */
  message?: string;
  /** The provider whose text it is. */
  providerId?: string;
}

interface ClientsPlan {
  url: string;
  apiKey: string;
  seed: number;
  clients: number;
  /** The models that are requested, in turn. */
  models: readonly string[];
  /** Clients leave if nothing has arrived after this time. */
  patienceMs: number | undefined;
  /** The share of requests for a stream. */
  streamShare?: number;
  /** The texts of whole answers, with the providers' ids. */
  texts: ReadonlyMap<string, string>;
}

/** Before a refused client tries again. */
const REFUSED_MS = 100;
const STREAM_SHARE = 0.6;
const MESSAGES_SHARE = 0.4;

/** Clients that send one request after the other, streamed and not, in two formats. */
export class RouteClients {
  readonly asked: Asked[] = [];
  readonly #plan: ClientsPlan;
  readonly #random: () => number;

  constructor(plan: ClientsPlan) {
    this.#plan = plan;
    this.#random = createSeededRandom(plan.seed);
  }

  /** Sends requests until `stop` aborts; leaves those that are open when `cut` does. */
  async run(stop: AbortSignal, cut: AbortSignal): Promise<void> {
    const client = async (): Promise<void> => {
      while (!stop.aborted) {
        const asked = this.#create();
        this.asked.push(asked);
        await this.#ask(asked, cut);
        if (asked.outcome !== 'whole' && asked.outcome !== 'left') await sleep(REFUSED_MS);
      }
    };
    await Promise.all(Array.from({ length: this.#plan.clients }, client));
  }

  #create(): Asked {
    const { models, seed } = this.#plan;
    const number = this.asked.length;
    return {
      id: `route-${seed}-${number}`,
      model: models[number % models.length] ?? '',
      stream: this.#random() < (this.#plan.streamShare ?? STREAM_SHARE),
      startedMs: performance.now(),
      outcome: 'open',
    };
  }

  async #ask(asked: Asked, cut: AbortSignal): Promise<void> {
    const { url, apiKey, patienceMs } = this.#plan;
    const isMessages = this.#random() < MESSAGES_SHARE;
    const left = new AbortController();
    const timer = patienceMs === undefined ? undefined : setTimeout(() => left.abort(), patienceMs);
    try {
      const response = await fetch(`${url}${isMessages ? '/v1/messages' : '/v1/chat/completions'}`, {
        method: 'POST',
        body: JSON.stringify(createBody(asked, isMessages)),
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${apiKey}`,
          'x-request-id': asked.id,
        },
        signal: AbortSignal.any([cut, left.signal]),
      });
      const text = await read(response, asked, () => clearTimeout(timer));
      this.#judge(asked, response, text);
    } catch (thrown) {
      asked.outcome = left.signal.aborted ? 'left' : cut.aborted ? 'open' : 'lost';
      asked.message = String(thrown instanceof Error ? (thrown.cause ?? thrown) : thrown);
    } finally {
      clearTimeout(timer);
      asked.endedMs = performance.now();
    }
  }

  #judge(asked: Asked, { status }: Response, text: string): void {
    if (status !== 200) {
      asked.outcome = String(status);
      asked.message = text.slice(0, 300);
      return;
    }
    const { words, isWhole } = asked.stream ? readStream(text) : readAnswer(text);
    const providerId = this.#plan.texts.get(words);
    if (!isWhole) asked.outcome = 'cut';
    else if (providerId === undefined) asked.outcome = 'mixed';
    else asked.outcome = 'whole';
    if (providerId !== undefined) asked.providerId = providerId;
    if (asked.outcome === 'cut') asked.message = text.slice(-300);
    if (asked.outcome === 'mixed') asked.message = words;
  }
}

function createBody({ id, model, stream }: Asked, isMessages: boolean): JsonObject {
  return {
    model,
    max_tokens: 100,
    stream,
    ...(stream && !isMessages && { stream_options: { include_usage: true } }),
    messages: [{ role: 'user', content: `Count for me, ${id}.` }],
  };
}

async function read(response: Response, asked: Asked, onFirst: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of response.body ?? []) {
    text += decoder.decode(part as Uint8Array, { stream: true });
    if (asked.firstMs !== undefined || !asked.stream || !/^data:/m.test(text)) continue;
    asked.firstMs = performance.now();
    onFirst();
  }
  return text;
}

interface Words {
  words: string;
  isWhole: boolean;
}

function readStream(text: string): Words {
  const events = [...text.matchAll(/^data: ?(\{.*)$/gm)].map(([, data = '']) => parseJson(data) ?? {});
  const words = events.map((event) => (isJsonObject(event) ? readDelta(event) : '')).join('');
  return { words, isWhole: /^data: \[DONE\]|^event: message_stop/m.test(text) };
}

function readDelta(event: JsonObject): string {
  const { delta, choices } = event as {
    delta?: { text?: string };
    choices?: { delta?: { content?: string } }[];
  };
  return delta?.text ?? choices?.[0]?.delta?.content ?? '';
}

function readAnswer(text: string): Words {
  const body = parseJson(text) as
    | { content?: { text?: string }[]; choices?: { message?: { content?: string } }[] }
    | undefined;
  const words = body?.content?.[0]?.text ?? body?.choices?.[0]?.message?.content;
  return { words: words ?? '', isWhole: words !== undefined };
}
