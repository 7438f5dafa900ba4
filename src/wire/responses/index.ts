export { responsesInbound } from './inbound.ts';
export { responsesOutbound } from './outbound.ts';
export { responseSchema, responsesRequestSchema } from './schema.ts';
