import { type Dialect, FORMAT_DIALECTS, type FormatId, type Target } from '#canonical';

const EFFORTS: Dialect['efforts'] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const MODES: Dialect['thinkingModes'] = ['adaptive', 'budget', 'disabled'];

/** Each format with everything switched on that it can say. */
const GENEROUS: Record<FormatId, Dialect> = {
  messages: { ...FORMAT_DIALECTS.messages, efforts: EFFORTS, thinkingModes: MODES },
  chat: {
    ...FORMAT_DIALECTS.chat,
    topK: true,
    efforts: EFFORTS,
    reasoningReplay: 'reasoning_content',
    customTools: true,
    strictTools: true,
    cacheMarks: 'cache_control',
    promptCacheKey: true,
    media: { image: true, imageUrl: true, document: true, audio: true },
  },
  responses: {
    ...FORMAT_DIALECTS.responses,
    efforts: EFFORTS,
    cacheMarks: 'prompt_cache_breakpoint',
    media: { image: true, imageUrl: true, document: true, audio: true },
  },
  gemini: {
    ...FORMAT_DIALECTS.gemini,
    sampling: 'full',
    efforts: EFFORTS,
    media: { image: true, imageUrl: true, document: true, audio: true },
  },
  converse: {
    ...FORMAT_DIALECTS.converse,
    topK: true,
    reasoningField: 'thinking',
    efforts: EFFORTS,
    thinkingModes: MODES,
    issuer: 'anthropic',
    strictTools: true,
    cacheMarks: 'cachePoint',
  },
};

/** The formats a provider may speak, in the order of the pages. */
export const PROVIDER_FORMATS = Object.keys(GENEROUS) as FormatId[];

/** A model that can do all its format can say. */
export function createGenerousTarget(format: FormatId): Target {
  return {
    providerId: 'provider',
    externalId: 'upstream-model',
    dialect: GENEROUS[format],
    maxOutput: 32_000,
    reasoning: true,
  };
}
