import type { JsonObject } from '#base';
import type { Usage } from '#canonical';
import type { Mapping } from '#catalogue';
import { priceParts } from '#catalogue';
import { type CacheMiss, decodeChain, describeMiss } from '#logs';
import { getInboundFormat } from '#wire';
import { hashPrompt } from '../../src/pipeline/misses/hash-prompt.ts';
import { SessionPrompts } from '../../src/pipeline/misses/session-prompts.ts';
import { getBaseCatalogue } from '../../src/app/settings/base-catalogue.ts';
import { MarkedCache } from './marked-cache.ts';

const MINUTE_MS = 60_000;
const MARK = { type: 'ephemeral' };

/** A model that caches what is marked, from 4,096 tokens. */
export async function findMarkedMapping(): Promise<Mapping> {
  const { models } = await getBaseCatalogue();
  const mapping = models
    .get('claude-opus-4-8')
    ?.mappings.find(({ providerId }) => providerId === 'anthropic');
  if (mapping?.minCacheableTokens !== 4_096) throw new Error('the catalogue has no such model');
  return mapping;
}

/** Prose of this many tokens, different for each name. */
export function prose(name: string, tokens: number): string {
  return `${name}: ${'all work and no play '.repeat(tokens)}`.slice(0, Math.round(tokens * 3.6));
}

export function textBlock(text: string, mark?: JsonObject): JsonObject {
  return { type: 'text', text, ...(mark && { cache_control: mark }) };
}

export function createTool(name: string, description = `Does ${name}.`): JsonObject {
  return { name, description, input_schema: { type: 'object', properties: { path: { type: 'string' } } } };
}

/** A coding agent's conversation with a provider that caches as Anthropic does; a test changes what it likes between requests. */
export class CachedSession {
  readonly cache: MarkedCache;
  prompts: SessionPrompts;
  readonly mapping: Mapping;
  tools = ['Bash', 'Read', 'Edit', 'Grep'].map((name) => createTool(name));
  system = [textBlock('You are an agent.'), textBlock(prose('rules of Monday, 23 November 2026', 6_000))];
  turns: { role: string; content: JsonObject[] }[] = [];
  parameters: JsonObject = {};
  /** Of the system and of the last turns. */
  mark: JsonObject | undefined = MARK;
  markedTurns = 2;
  model = 'opus';
  provider = 'anthropic';
  credential = '';
  hasSetMarks = false;
  session = 'org s ';
  nowMs = Date.UTC(2026, 10, 1);
  lastUsage: Usage | undefined;
  mostChainBytes = 0;
  /** The last prompt, as it is stored. */
  stored = '';

  constructor(mapping: Mapping, shared: { cache?: MarkedCache; prompts?: SessionPrompts } = {}) {
    this.mapping = mapping;
    this.cache = shared.cache ?? new MarkedCache();
    this.prompts = shared.prompts ?? new SessionPrompts();
  }

  get body(): JsonObject {
    const system = this.system.map((block, at) =>
      this.mark && at === this.system.length - 1 ? { ...block, cache_control: this.mark } : block,
    );
    const firstMarked = this.turns.length - this.markedTurns;
    const messages = this.turns.map(({ role, content }, turn) => ({
      role,
      content: content.map((block, at) =>
        this.mark && turn >= firstMarked && at === content.length - 1 && block['type'] !== 'thinking'
          ? { ...block, cache_control: this.mark }
          : block,
      ),
    }));
    return { model: this.model, max_tokens: 100, tools: this.tools, system, messages, ...this.parameters };
  }

  /** Adds an input and asks; a first answer follows the question in the next request. */
  ask(text = prose(`input ${this.turns.length}`, 300)): CacheMiss | undefined {
    this.turns.push({ role: 'user', content: [textBlock(text)] });
    const miss = this.send();
    this.turns.push({ role: 'assistant', content: [textBlock(prose(`answer ${this.turns.length}`, 200))] });
    return miss;
  }

  send(): CacheMiss | undefined {
    const { mapping, provider, model, credential, nowMs } = this;
    const { body } = this;
    const least = mapping.minCacheableTokens ?? 0;
    const usage = this.cache.use(body, { provider, model, credential, nowMs, leastTokens: least });
    this.lastUsage = usage;
    const prompt = hashPrompt(getInboundFormat('messages').decodeRequest(structuredClone(body), {}));
    this.stored = prompt.stored;
    const bytes = Buffer.from(prompt.stored, 'base64');
    this.mostChainBytes = Math.max(this.mostChainBytes, bytes.length);
    if (!decodeChain(bytes)) throw new Error('a chain cannot be read back');
    this.nowMs += 10_000;
    return this.prompts.explain({
      session: this.session,
      modelId: model,
      providerId: provider,
      externalId: model,
      credential,
      hasSetMarks: this.hasSetMarks,
      startedAt: nowMs,
      answeredAt: nowMs + 2_000,
      mapping,
      usage,
      prompt,
      ttlMinutes: usage.inputCacheWrite1h > 0 ? 60 : prompt.chain.ttlMinutes,
      costOf: (used) => this.costOf(used),
    });
  }

  costOf(usage: Usage): bigint {
    const { price, modelId } = this.mapping;
    return price ? priceParts([{ modelId, usage, price, factors: [] }]) : 0n;
  }

  wait(minutes: number): void {
    this.nowMs += minutes * MINUTE_MS;
  }
}

export function sentenceOf(miss: CacheMiss | undefined): string {
  return miss ? describeMiss(miss) : 'none';
}
