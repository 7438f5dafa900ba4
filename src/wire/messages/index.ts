export { decodeCountTokens } from './decode-request.ts';
export { messagesInbound } from './inbound.ts';
export { isFieldSent } from './beta-filter.ts';
export { stateSummaries } from './summaries.ts';
export { offerChangedTools } from './tool-changes.ts';
export { refuseThreads } from './threads.ts';
export { messagesOutbound } from './outbound.ts';
