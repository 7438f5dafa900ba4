export { decodeCountTokens } from './decode-request.ts';
export { messagesInbound } from './inbound.ts';
export { isFieldSent } from './beta-fence.ts';
export { withSummaries } from './summaries.ts';
export { withToolChanges } from './tool-changes.ts';
export { refusingThreads } from './threads.ts';
export { messagesOutbound } from './outbound.ts';
export { messagesErrorSchema, messagesResponseSchema } from './answer-schema.ts';
export { messagesRequestSchema } from './schema.ts';
