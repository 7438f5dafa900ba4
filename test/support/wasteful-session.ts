import type { JsonObject } from '#base';
import type { LogRow } from '#logs';
import { createUsage } from '#canonical';
import { parsePrice, priceUsage } from '#catalogue';
import { readParts } from '#logs';
import { getInboundFormat } from '#wire';
import { hashPrompt } from '../../src/pipeline/misses/hash-prompt.ts';
import { textBlock } from './cached-session.ts';
import { createRow } from './fresh-accounts.ts';

export const SCHEMA = { type: 'object', properties: { path: { type: 'string' } } };

/** In pico-USD per token: 1,000,000 fresh, 100,000 read from the cache, 5,000,000 of output. */
export const PRICE = parsePrice({ input: '1', output: '5', cacheRead: '0.1' });

export interface SessionPlan {
  sessionId: string;
  projectId: string;
  organizationId?: string;
  tools?: readonly string[];
  system?: string;
  /** Of each tool; 20 characters by default. */
  descriptions?: Readonly<Record<string, string>>;
}

const OUTPUT_TOKENS = 10;

/** A session of an agent whose prompts have a token per character, and are read from the cache up to where the one before ended. */
export class WastefulSession {
  readonly rows: LogRow[] = [];
  readonly turns: { role: string; content: JsonObject[] }[] = [];
  readonly #plan: SessionPlan;
  #cached = 0;
  #calls = 0;

  constructor(plan: SessionPlan) {
    this.#plan = plan;
    this.say(`begin ${plan.sessionId}`);
  }

  say(text: string): this {
    this.turns.push({ role: 'user', content: [textBlock(text)] });
    return this;
  }

  answer(text: string): this {
    this.turns.push({ role: 'assistant', content: [textBlock(text)] });
    return this;
  }

  /** The model calls a tool, and the client sends the result. */
  call(name: string, path: string, result: string): this {
    const id = `toolu_${(this.#calls += 1)}`;
    this.turns.push({ role: 'assistant', content: [{ type: 'tool_use', id, name, input: { path } }] });
    this.turns.push({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: [textBlock(result)] }],
    });
    return this;
  }

  /** A request, answered. */
  send(more: Partial<LogRow> = {}): this {
    const { sessionId, projectId, organizationId = 'org_0' } = this.#plan;
    const { stored: promptChain } = hashPrompt(getInboundFormat('messages').decodeRequest(this.#body, {}));
    const parts = readParts(Buffer.from(promptChain, 'base64'));
    if (!parts) throw new Error('the chain has no parts');
    const tokens = parts.toolLength + parts.systemLength + parts.turnLength;
    const inputCacheRead = Math.min(this.#cached, tokens);
    const usage = createUsage({
      inputCacheRead,
      inputUncached: tokens - inputCacheRead,
      outputText: OUTPUT_TOKENS,
    });
    this.#cached = tokens;
    const cost = String(priceUsage(PRICE, usage));
    const caller = { organizationId, projectId, keyId: 'key_0', keyLabel: 'k' };
    const startedAt = Date.now() - 3_600_000 + this.rows.length * 1_000;
    this.rows.push(
      createRow(caller, `req_${sessionId}_${this.rows.length}`, {
        sessionId,
        startedAt,
        usage,
        promptChain,
        modelId: 'tall',
        providerId: 'acme',
        customer: cost,
        provider: cost,
        priceVersion: PRICE.version,
        finishReason: 'tool_calls',
        ...more,
      }),
    );
    return this;
  }

  /** The last request is answered by text. */
  end(): LogRow[] {
    const last = this.rows.at(-1);
    if (last) last.finishReason = 'completed';
    return this.rows;
  }

  get #body(): JsonObject {
    const { tools = ['Read', 'Edit', 'Grep'], system = 'You are an agent.', descriptions } = this.#plan;
    return {
      model: 'tall',
      max_tokens: 100,
      messages: this.turns,
      system: [textBlock(system)],
      tools: tools.map((name) => ({
        name,
        description: descriptions?.[name] ?? 'x'.repeat(20),
        input_schema: SCHEMA,
      })),
    };
  }
}
