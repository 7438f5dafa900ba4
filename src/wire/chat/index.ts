export { chatInbound } from './inbound.ts';
export { chatOutbound } from './outbound.ts';
export { refuseChatOnly } from './refuse-elsewhere.ts';
