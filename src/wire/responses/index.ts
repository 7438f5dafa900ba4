export { responsesInbound } from './inbound.ts';
export { responsesOutbound } from './outbound.ts';
export { responseSchema } from './answer-schema.ts';
export { responsesRequestSchema } from './schema.ts';
