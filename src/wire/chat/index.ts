export { chatInbound } from './inbound.ts';
export { chatOutbound } from './outbound.ts';
export { createChatRefusal } from './refuse-elsewhere.ts';
