export { decodeGeminiCount } from './decode-count-tokens.ts';
export { createGeminiInbound, geminiInbound } from './inbound.ts';
export { geminiOutbound } from './outbound.ts';
export { refusingGeminiOnly } from './refuse-elsewhere.ts';
export { geminiErrorSchema, geminiRequestSchema, geminiResponseSchema } from './schema.ts';
