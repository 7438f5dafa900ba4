import { hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '#base';
import { type Usage, createUsage } from '#canonical';
import type { Truth } from './upstream-exchange.ts';
import { type Reply, answer } from './upstream-replies.ts';

/** As code and prose have in Claude's tokenizer. */
const BYTES_PER_TOKEN = 3.6;
const LOOKBACK_BLOCKS = 20;
const MINUTE_MS = 60_000;

/** Who is asked, and when. */
export interface Asked {
  provider: string;
  model: string;
  credential: string;
  nowMs: number;
  leastTokens: number;
}

interface Block {
  key: string;
  tokens: number;
  ttlMs: number | undefined;
}

/** The prompt cache of a provider as Anthropic documents it: by prefix, written and read at marks, for five minutes or an hour. */
export class MarkedCache {
  readonly #expiries = new Map<string, number>();

  /** Empties it. */
  clear(): void {
    this.#expiries.clear();
  }

  use(body: JsonObject, asked: Asked): Usage {
    const blocks = listBlocks(body, asked);
    const all = blocks.at(-1)?.tokens ?? 0;
    const marked = blocks.flatMap(({ ttlMs }, at) => (ttlMs === undefined ? [] : [at]));
    if (all < asked.leastTokens || marked.length === 0)
      return createUsage({ inputUncached: all, outputText: 20 });
    const found = this.#find(blocks, marked, asked.nowMs);
    const read = found === undefined ? 0 : (blocks[found]?.tokens ?? 0);
    const last = blocks[marked.at(-1) ?? 0];
    const written = Math.max(0, (last?.tokens ?? 0) - read);
    // What is read stays, with all that it begins with.
    for (const block of blocks.slice(0, (found ?? -1) + 1))
      if (this.#expiries.has(block.key)) this.#keep(block, asked.nowMs, last?.ttlMs);
    for (const at of marked) this.#keep(blocks[at], asked.nowMs, blocks[at]?.ttlMs);
    const isLong = (last?.ttlMs ?? 0) > 5 * MINUTE_MS;
    return createUsage({
      inputUncached: all - read - written,
      inputCacheRead: read,
      ...(isLong ? { inputCacheWrite1h: written } : { inputCacheWrite5m: written }),
      outputText: 20,
    });
  }

  #find(blocks: readonly Block[], marked: readonly number[], nowMs: number): number | undefined {
    for (const mark of marked.toReversed())
      for (let at = mark; at >= Math.max(0, mark - LOOKBACK_BLOCKS); at -= 1)
        if ((this.#expiries.get(blocks[at]?.key ?? '') ?? 0) > nowMs) return at;
    return undefined;
  }

  #keep(block: Block | undefined, nowMs: number, ttlMs = 5 * MINUTE_MS): void {
    if (!block) return;
    const until = Math.max(this.#expiries.get(block.key) ?? 0, nowMs + ttlMs);
    this.#expiries.set(block.key, until);
  }
}

/** Answers with the usage that a cache gives each request. */
export function answerCached(cache: MarkedCache, ask: (truth: Truth) => Omit<Asked, 'provider'>): Reply {
  return (exchange) => {
    const usage = cache.use(exchange.truth.body, { provider: 'p', ...ask(exchange.truth) });
    return answer({
      text: 'Done.',
      usage: {
        input_tokens: usage.inputUncached,
        cache_read_input_tokens: usage.inputCacheRead,
        cache_creation_input_tokens: usage.inputCacheWrite5m,
        output_tokens: 20,
      },
    })(exchange);
  };
}

function listBlocks(body: JsonObject, { provider, model, credential }: Asked): Block[] {
  const listOf = (value: JsonValue | undefined): JsonValue[] =>
    Array.isArray(value) ? value : value === undefined ? [] : [{ type: 'text', text: value }];
  const pieces: { value: JsonValue; of: string }[] = [
    ...listOf(body['tools']).map((value) => ({ value, of: 'tools' })),
    ...listOf(body['system']).map((value) => ({ value, of: 'system' })),
    ...listOf(body['messages']).flatMap((message) => {
      const { role, content } = message as { role: string; content: JsonValue };
      return listOf(content).map((value) => ({ value, of: role }));
    }),
  ];
  let [key, tokens] = [`${provider} ${model} ${credential}`, 0];
  return pieces.map(({ value, of }, at) => {
    const { cache_control: mark, ...rest } = value as { cache_control?: { ttl?: string } };
    const isLast = at === pieces.length - 1 && body['cache_control'] !== undefined;
    // Thinking and the choice of a tool are part of the prefix of messages.
    const own = of === 'user' ? JSON.stringify([body['thinking'], body['tool_choice']]) : '';
    const text = JSON.stringify(rest);
    key = hash('sha1', `${key}\n${of}${own}${text}`);
    tokens += Math.ceil(text.length / BYTES_PER_TOKEN);
    const ttlMs = mark ? (mark.ttl === '1h' ? 60 : 5) * MINUTE_MS : isLast ? 5 * MINUTE_MS : undefined;
    return { key, tokens, ttlMs };
  });
}
