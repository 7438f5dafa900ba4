import type { JsonObject } from '#base';
import type { Reported } from './modifier-answers.ts';

/** One modifier as a caller sees it; amounts are worked out by hand. */
export interface ModifierCase {
  name: string;
  /** Format and model of the request. */
  format: 'chat' | 'responses' | 'messages' | 'gemini';
  model: string;
  /** Members of the request besides its prompt and its limit of 10,000 tokens. */
  fields: JsonObject;
  headers?: Record<string, string>;
  /** Members that must be sent to the provider; the fields by default. */
  sent?: JsonObject;
  reported: Reported;
  /** USD per million tokens that are held: for every token the body may have, and for every one the answer may have. */
  held: readonly (readonly [input: number, output: number, runs?: number, ownOutput?: number])[];
  multiplied?: number;
  /** USD. */
  bill: string;
  factors?: readonly (readonly [name: string, value: string, factor: string])[];
  /** The billed models, if other than just the requested one. */
  models?: readonly string[];
}

const CHAT = { prompt_tokens: 100_000, completion_tokens: 10_000, total_tokens: 110_000 };
const RESPONSES = { input_tokens: 100_000, output_tokens: 10_000, total_tokens: 110_000 };
const MESSAGES = { input_tokens: 100_000, output_tokens: 10_000 };
const GEMINI = { promptTokenCount: 100_000, candidatesTokenCount: 10_000, totalTokenCount: 110_000 };
const HAIKU = [1.25, 5] as const;
const OPUS = [6.25, 25] as const;
const ADVISOR = {
  type: 'advisor_20260301',
  name: 'advisor',
  model: 'claude-opus-4-8',
  max_uses: 1,
  max_tokens: 5_000,
};

/** A tier that is asked for and the one that is reported, which is billed. */
const tier = (asked: string, served: string, factor: string) => ({
  fields: { service_tier: asked },
  reported: { usage: CHAT, extra: { service_tier: served } },
  factors: [['service_tier', served, factor]] as const,
});

const GPT = { format: 'chat', model: 'gpt-5.2', held: [[1.75, 14]] } as const;
const GEMINI_FLASH = { format: 'gemini', model: 'gemini-3-flash-preview', held: [[0.5, 3]] } as const;
const FAST_OPUS = {
  format: 'messages',
  model: 'claude-opus-4-6',
  headers: { 'anthropic-beta': 'fast-mode-2026-02-01' },
  held: [OPUS],
} as const;
const FALLING_BACK = {
  format: 'messages' as const,
  model: 'claude-haiku-4-5',
  fields: { fallbacks: [{ model: 'claude-opus-4-8' }] },
  headers: { 'anthropic-beta': 'server-side-fallback-2026-06-01' },
  held: [HAIKU, OPUS],
};

/** gpt-5.2 and gpt-5.3-codex (which uses Responses) cost 1.75 and 14; 100,000 tokens in, 10,000 out. */
const OPENAI: ModifierCase[] = [
  {
    name: 'chat, no tier: 0.175 + 0.14',
    ...GPT,
    fields: {},
    reported: { usage: CHAT, extra: { service_tier: 'default' } },
    bill: '0.315',
  },
  {
    name: 'chat, priority: 0.315 × 2',
    ...GPT,
    ...tier('priority', 'priority', '2'),
    multiplied: 2,
    bill: '0.63',
  },
  {
    name: 'chat, priority that was served as default: 0.315',
    ...GPT,
    ...tier('priority', 'default', '1'),
    multiplied: 2,
    bill: '0.315',
  },
  {
    name: 'chat, flex: 0.315 ÷ 2, and held as if it were not granted',
    ...GPT,
    ...tier('flex', 'flex', '0.5'),
    bill: '0.1575',
  },
  {
    name: 'chat, a tier that the answer does not name is the one that was asked for',
    ...GPT,
    fields: { service_tier: 'flex' },
    reported: { usage: CHAT },
    bill: '0.1575',
    factors: [['service_tier', 'flex', '0.5']],
  },
  {
    name: 'chat, priority with prices of its own: 100,000 × 0.25 + 10,000 × 1',
    ...tier('priority', 'priority', '1'),
    format: 'chat',
    model: 'gpt-4o-mini',
    held: [[0.25, 1]],
    bill: '0.035',
  },
  {
    name: 'responses, priority: (0.175 + 0.14) × 2',
    ...tier('priority', 'priority', '2'),
    reported: { usage: RESPONSES, extra: { service_tier: 'priority' } },
    format: 'responses',
    model: 'gpt-5.3-codex',
    held: [[1.75, 14]],
    multiplied: 2,
    bill: '0.63',
  },
  {
    name: 'responses by chat, flex: 0.315 ÷ 2',
    ...GPT,
    ...tier('flex', 'flex', '0.5'),
    format: 'responses',
    bill: '0.1575',
  },
];

/** gemini-3-flash-preview costs 0.5 and 3. */
const GOOGLE: ModifierCase[] = [
  {
    name: 'gemini, priority: (0.05 + 0.03) × 1.8',
    ...GEMINI_FLASH,
    fields: { serviceTier: 'priority' },
    reported: { usage: { ...GEMINI, serviceTier: 'priority' } },
    multiplied: 1.8,
    bill: '0.144',
    factors: [['service_tier', 'priority', '1.8']],
  },
  {
    name: 'gemini, priority that was served as standard: 0.08',
    ...GEMINI_FLASH,
    fields: { serviceTier: 'priority' },
    reported: { usage: { ...GEMINI, serviceTier: 'standard' } },
    multiplied: 1.8,
    bill: '0.08',
    factors: [['service_tier', 'standard', '1']],
  },
  {
    name: 'chat by gemini, flex: 0.08 ÷ 2',
    ...GEMINI_FLASH,
    format: 'chat',
    fields: { service_tier: 'flex' },
    sent: { serviceTier: 'flex' },
    reported: { usage: { ...GEMINI, serviceTier: 'flex' } },
    bill: '0.04',
    factors: [['service_tier', 'flex', '0.5']],
  },
];

/** Opus costs 5 and 25, Haiku 1 and 5, Sonnet 4.5 3 and 15; every token in may be written to the cache for an hour: 10, 2, 6. */
const ANTHROPIC: ModifierCase[] = [
  {
    name: 'messages, fast: (0.5 + 0.25) × 6',
    ...FAST_OPUS,
    fields: { speed: 'fast' },
    reported: { usage: { ...MESSAGES, speed: 'fast' } },
    multiplied: 6,
    bill: '4.5',
    factors: [['speed', 'fast', '6']],
  },
  {
    name: 'messages, fast that was served at the standard speed: 0.75',
    ...FAST_OPUS,
    fields: { speed: 'fast' },
    reported: { usage: { ...MESSAGES, speed: 'standard' } },
    multiplied: 6,
    bill: '0.75',
    factors: [['speed', 'standard', '1']],
  },
  {
    name: 'messages, inference in the US: 0.75 × 1.1',
    format: 'messages',
    model: 'claude-opus-4-6',
    fields: { inference_geo: 'us' },
    reported: { usage: { ...MESSAGES, inference_geo: 'us' } },
    held: [OPUS],
    multiplied: 1.1,
    bill: '0.825',
    factors: [['inference_geo', 'us', '1.1']],
  },
  {
    name: 'messages, fast in the US: 0.75 × 6 × 1.1',
    ...FAST_OPUS,
    fields: { speed: 'fast', inference_geo: 'us' },
    reported: { usage: { ...MESSAGES, speed: 'fast', inference_geo: 'us', service_tier: 'standard' } },
    multiplied: 6.6,
    bill: '4.95',
    factors: [
      ['speed', 'fast', '6'],
      ['inference_geo', 'us', '1.1'],
    ],
  },
  {
    name: 'messages, a contracted priority tier costs what the standard does',
    format: 'messages',
    model: 'claude-opus-4-6',
    fields: { service_tier: 'auto' },
    reported: { usage: { ...MESSAGES, service_tier: 'priority' } },
    held: [OPUS],
    bill: '0.75',
  },
  {
    name: 'messages, 300,000 tokens under the 1M beta: 300,000 × 6 + 10,000 × 22.5',
    format: 'messages',
    model: 'claude-sonnet-4-5',
    fields: {},
    headers: { 'anthropic-beta': 'context-1m-2025-08-07' },
    reported: { usage: { input_tokens: 300_000, output_tokens: 10_000 } },
    held: [[3.75, 15]],
    bill: '2.025',
  },
  {
    name: 'messages, Opus answers for Haiku: 100,000 × 5 + 10,000 × 25',
    ...FALLING_BACK,
    reported: {
      usage: {
        ...MESSAGES,
        iterations: [
          { type: 'message', model: 'claude-haiku-4-5', input_tokens: 100_000, output_tokens: 0 },
          { type: 'fallback_message', model: 'claude-opus-4-8', ...MESSAGES },
        ],
      },
    },
    bill: '0.75',
    models: ['claude-opus-4-8'],
  },
  {
    name: 'messages, Haiku stops in mid-answer and Opus goes on: 0.1 + 0.005 + 0.75',
    ...FALLING_BACK,
    sent: {},
    reported: {
      usage: {
        ...MESSAGES,
        iterations: [
          { type: 'message', input_tokens: 100_000, output_tokens: 1_000 },
          { type: 'fallback_message', model: 'claude-opus-4-8', ...MESSAGES },
        ],
      },
    },
    bill: '0.855',
    models: ['claude-haiku-4-5', 'claude-opus-4-8'],
  },
  {
    name: 'messages, an advisor: Haiku 0.1 + 0.05, Opus 100,000 × 5 + 5,000 × 25',
    format: 'messages',
    model: 'claude-haiku-4-5',
    fields: { tools: [ADVISOR] },
    headers: { 'anthropic-beta': 'advisor-tool-2026-03-01' },
    reported: {
      usage: {
        ...MESSAGES,
        iterations: [
          { type: 'message', input_tokens: 40_000, output_tokens: 4_000 },
          { type: 'advisor_message', model: 'claude-opus-4-8', input_tokens: 100_000, output_tokens: 5_000 },
          { type: 'message', input_tokens: 60_000, output_tokens: 6_000 },
        ],
      },
    },
    held: [HAIKU, [6.25, 25, 1, 5_000]],
    bill: '0.775',
    models: ['claude-haiku-4-5', 'claude-opus-4-8'],
  },
];

const QWEN = { format: 'chat', model: 'qwen3.6-max-preview', held: [[1.625, 7.8]], fields: {} } as const;
const HALF_CACHED = { prompt_tokens_details: { cached_tokens: 50_000 } };
const MARKED = { prompt_tokens_details: { cached_tokens: 50_000, cache_type: 'ephemeral' } };

/** qwen3.6-max-preview costs 1.3 and 7.8, 0.26 for what it finds in its cache, and half of that by marks. */
const ALIBABA: ModifierCase[] = [
  {
    name: 'chat, hits of the implicit cache: 0.065 + 0.013 + 0.078',
    ...QWEN,
    reported: { usage: { ...CHAT, ...HALF_CACHED } },
    bill: '0.156',
  },
  {
    name: 'chat, hits of the explicit cache: 0.065 + 0.0065 + 0.078',
    ...QWEN,
    reported: { usage: { ...CHAT, ...MARKED } },
    bill: '0.1495',
    factors: [['cache_type', 'ephemeral', '1']],
  },
];

export const MODIFIER_CASES: readonly ModifierCase[] = [...OPENAI, ...GOOGLE, ...ANTHROPIC, ...ALIBABA];
