export { responsesInbound } from './inbound.ts';
export { responsesOutbound } from './outbound.ts';
export { listInputItems } from './input-items.ts';
