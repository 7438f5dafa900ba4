export { responsesInbound } from './inbound.ts';
export { responsesOutbound } from './outbound.ts';
export { responseSchema } from './answer-schema.ts';
export { listInputItems } from './input-items.ts';
export { responsesRequestSchema } from './schema.ts';
