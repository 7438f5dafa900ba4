export { type CloudAccess } from './cloud.ts';
export { type Provider, type ProviderAccess, createProvider } from './provider.ts';
export { redactFailure } from './redact.ts';
export { type AnswerSink, type Transport, type UpstreamCall, type UpstreamRequest } from './transport.ts';
