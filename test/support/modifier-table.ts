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
const FALLBACK = { 'anthropic-beta': 'server-side-fallback-2026-06-01' };
const HAIKU = [1.25, 5] as const;
const OPUS = [6.25, 25] as const;
const ADVISOR = {
  type: 'advisor_20260301',
  name: 'advisor',
  model: 'claude-opus-4-8',
  max_uses: 1,
  max_tokens: 5_000,
};

/** gpt-5.2 and gpt-5.3-codex (which uses Responses) cost 1.75 and 14; 100,000 tokens in, 10,000 out. */
const OPENAI: ModifierCase[] = [
  {
    name: 'chat, no tier: 0.175 + 0.14',
    format: 'chat',
    model: 'gpt-5.2',
    fields: {},
    reported: { usage: CHAT, extra: { service_tier: 'default' } },
    held: [[1.75, 14]],
    bill: '0.315',
  },
  {
    name: 'chat, priority: 0.315 × 2',
    format: 'chat',
    model: 'gpt-5.2',
    fields: { service_tier: 'priority' },
    reported: { usage: CHAT, extra: { service_tier: 'priority' } },
    held: [[1.75, 14]],
    multiplied: 2,
    bill: '0.63',
    factors: [['service_tier', 'priority', '2']],
  },
  {
    name: 'chat, priority that was served as default: 0.315',
    format: 'chat',
    model: 'gpt-5.2',
    fields: { service_tier: 'priority' },
    reported: { usage: CHAT, extra: { service_tier: 'default' } },
    held: [[1.75, 14]],
    multiplied: 2,
    bill: '0.315',
    factors: [['service_tier', 'default', '1']],
  },
  {
    name: 'chat, flex: 0.315 ÷ 2, and held as if it were not granted',
    format: 'chat',
    model: 'gpt-5.2',
    fields: { service_tier: 'flex' },
    reported: { usage: CHAT, extra: { service_tier: 'flex' } },
    held: [[1.75, 14]],
    bill: '0.1575',
    factors: [['service_tier', 'flex', '0.5']],
  },
  {
    name: 'chat, a tier that the answer does not name is the one that was asked for',
    format: 'chat',
    model: 'gpt-5.2',
    fields: { service_tier: 'flex' },
    reported: { usage: CHAT },
    held: [[1.75, 14]],
    bill: '0.1575',
    factors: [['service_tier', 'flex', '0.5']],
  },
  {
    name: 'chat, priority with prices of its own: 100,000 × 0.25 + 10,000 × 1',
    format: 'chat',
    model: 'gpt-4o-mini',
    fields: { service_tier: 'priority' },
    reported: { usage: CHAT, extra: { service_tier: 'priority' } },
    held: [[0.25, 1]],
    bill: '0.035',
    factors: [['service_tier', 'priority', '1']],
  },
  {
    name: 'responses, priority: (0.175 + 0.14) × 2',
    format: 'responses',
    model: 'gpt-5.3-codex',
    fields: { service_tier: 'priority' },
    reported: { usage: RESPONSES, extra: { service_tier: 'priority' } },
    held: [[1.75, 14]],
    multiplied: 2,
    bill: '0.63',
    factors: [['service_tier', 'priority', '2']],
  },
  {
    name: 'responses by chat, flex: 0.315 ÷ 2',
    format: 'responses',
    model: 'gpt-5.2',
    fields: { service_tier: 'flex' },
    reported: { usage: CHAT, extra: { service_tier: 'flex' } },
    held: [[1.75, 14]],
    bill: '0.1575',
    factors: [['service_tier', 'flex', '0.5']],
  },
];

/** gemini-3-flash-preview costs 0.5 and 3. */
const GOOGLE: ModifierCase[] = [
  {
    name: 'gemini, priority: (0.05 + 0.03) × 1.8',
    format: 'gemini',
    model: 'gemini-3-flash-preview',
    fields: { serviceTier: 'priority' },
    reported: { usage: { ...GEMINI, serviceTier: 'priority' } },
    held: [[0.5, 3]],
    multiplied: 1.8,
    bill: '0.144',
    factors: [['service_tier', 'priority', '1.8']],
  },
  {
    name: 'gemini, priority that was served as standard: 0.08',
    format: 'gemini',
    model: 'gemini-3-flash-preview',
    fields: { serviceTier: 'priority' },
    reported: { usage: { ...GEMINI, serviceTier: 'standard' } },
    held: [[0.5, 3]],
    multiplied: 1.8,
    bill: '0.08',
    factors: [['service_tier', 'standard', '1']],
  },
  {
    name: 'chat by gemini, flex: 0.08 ÷ 2',
    format: 'chat',
    model: 'gemini-3-flash-preview',
    fields: { service_tier: 'flex' },
    sent: { serviceTier: 'flex' },
    reported: { usage: { ...GEMINI, serviceTier: 'flex' } },
    held: [[0.5, 3]],
    bill: '0.04',
    factors: [['service_tier', 'flex', '0.5']],
  },
];

/** Opus costs 5 and 25, Haiku 1 and 5, Sonnet 4.5 3 and 15; every token in may be written to the cache for an hour: 10, 2, 6. */
const ANTHROPIC: ModifierCase[] = [
  {
    name: 'messages, fast: (0.5 + 0.25) × 6',
    format: 'messages',
    model: 'claude-opus-4-6',
    fields: { speed: 'fast' },
    headers: { 'anthropic-beta': 'fast-mode-2026-02-01' },
    reported: { usage: { ...MESSAGES, speed: 'fast' } },
    held: [OPUS],
    multiplied: 6,
    bill: '4.5',
    factors: [['speed', 'fast', '6']],
  },
  {
    name: 'messages, fast that was served at the standard speed: 0.75',
    format: 'messages',
    model: 'claude-opus-4-6',
    fields: { speed: 'fast' },
    headers: { 'anthropic-beta': 'fast-mode-2026-02-01' },
    reported: { usage: { ...MESSAGES, speed: 'standard' } },
    held: [OPUS],
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
    format: 'messages',
    model: 'claude-opus-4-6',
    fields: { speed: 'fast', inference_geo: 'us' },
    headers: { 'anthropic-beta': 'fast-mode-2026-02-01' },
    reported: { usage: { ...MESSAGES, speed: 'fast', inference_geo: 'us', service_tier: 'standard' } },
    held: [OPUS],
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
    format: 'messages',
    model: 'claude-haiku-4-5',
    fields: { fallbacks: [{ model: 'claude-opus-4-8' }] },
    headers: FALLBACK,
    reported: {
      usage: {
        ...MESSAGES,
        iterations: [
          { type: 'message', model: 'claude-haiku-4-5', input_tokens: 100_000, output_tokens: 0 },
          { type: 'fallback_message', model: 'claude-opus-4-8', ...MESSAGES },
        ],
      },
    },
    held: [HAIKU, OPUS],
    bill: '0.75',
    models: ['claude-opus-4-8'],
  },
  {
    name: 'messages, Haiku stops in mid-answer and Opus goes on: 0.1 + 0.005 + 0.75',
    format: 'messages',
    model: 'claude-haiku-4-5',
    fields: { fallbacks: [{ model: 'claude-opus-4-8' }] },
    headers: FALLBACK,
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
    held: [HAIKU, OPUS],
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

export const MODIFIER_CASES: readonly ModifierCase[] = [...OPENAI, ...GOOGLE, ...ANTHROPIC];
