export { type CloudAccess } from './cloud.ts';
export { type DocumentReader, createDocumentReader } from './document-reader.ts';
export { type GatewayAnswer, type GatewayClient, createGatewayClient } from './gateway-client.ts';
export { type Provider, type ProviderAccess, accountOf, createProvider } from './provider.ts';
export { type ResourceRequest } from './resource-client.ts';
export { type NoticeSender, createNoticeSender } from './notice-sender.ts';
export { signAwsRequest } from './transports/sigv4.ts';
export { redactFailure, reportToOperator } from './redact.ts';
export { type AnswerSink, type Transport, type UpstreamCall, type UpstreamRequest } from './transport.ts';
