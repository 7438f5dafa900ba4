export { chatInbound } from './inbound.ts';
export { chatOutbound } from './outbound.ts';
export { refusingChatOnly } from './refuse-elsewhere.ts';
export { chatRequestSchema, chatResponseSchema, openaiErrorSchema } from './schema.ts';
