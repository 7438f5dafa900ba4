export { decodeCountTokens } from './request/decode-request.ts';
export { messagesInbound } from './inbound.ts';
export { isFieldSent } from './request/beta-filter.ts';
export { stateSummaries } from './request/summaries.ts';
export { offerChangedTools } from './request/tool-changes.ts';
export { refuseThreads } from './request/threads.ts';
export { messagesOutbound } from './outbound.ts';
