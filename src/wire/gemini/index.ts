export { decodeGeminiCount } from './decode-count-tokens.ts';
export { createGeminiInbound, geminiInbound } from './inbound.ts';
export { geminiOutbound } from './outbound.ts';
export { refuseGeminiOnly } from './refuse-elsewhere.ts';
export { decodeUsage } from './usage.ts';
