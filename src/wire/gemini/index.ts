export { decodeGeminiCount } from './request/decode-count-tokens.ts';
export { createGeminiInbound, geminiInbound } from './inbound.ts';
export { geminiOutbound } from './outbound.ts';
export { refuseGeminiOnly } from './refuse-elsewhere.ts';
export { decodeUsage } from './answer/usage.ts';
