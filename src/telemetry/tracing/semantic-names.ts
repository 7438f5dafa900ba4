/*
 * Every name of a span. `gen_ai.*` is from OpenTelemetry's GenAI conventions (open-telemetry/semantic-conventions-genai),
 * which are in development and change; the others are stable (HTTP, errors) or the gateway's own (`sluice.*`).
 */
export const NAMES = {
  service: 'service.name',
  serviceVersion: 'service.version',
  serviceInstance: 'service.instance.id',
  method: 'http.request.method',
  route: 'http.route',
  path: 'url.path',
  httpStatus: 'http.response.status_code',
  userAgent: 'user_agent.original',
  errorType: 'error.type',
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  conversation: 'gen_ai.conversation.id',
  agent: 'gen_ai.agent.id',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheRead: 'gen_ai.usage.cache_read.input_tokens',
  cacheWrite: 'gen_ai.usage.cache_creation.input_tokens',
  systemInstructions: 'gen_ai.system_instructions',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  reasoning: 'gen_ai.usage.reasoning.output_tokens',
  requestId: 'sluice.request.id',
  clientRequestId: 'sluice.request.client_id',
  organization: 'sluice.organization.id',
  project: 'sluice.project.id',
  key: 'sluice.key.id',
  format: 'sluice.request.format',
  requestedModel: 'sluice.request.model',
  model: 'sluice.model.id',
  finish: 'sluice.finish_reason',
  cached: 'sluice.cached',
  estimated: 'sluice.usage.estimated',
  customerCost: 'sluice.cost.customer_picousd',
  operatorCost: 'sluice.cost.operator_picousd',
  costUsd: 'gen_ai.usage.cost',
  providerId: 'sluice.provider.id',
  contentCut: 'sluice.content.cut',
  attemptOutcome: 'sluice.attempt.outcome',
  attemptReason: 'sluice.attempt.reason',
  attemptWaited: 'sluice.attempt.waited_ms',
} as const;

export const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.42.0';

const OPERATIONS: Readonly<Record<string, string>> = {
  '/v1/messages': 'chat',
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'chat',
  '/v1/embeddings': 'embeddings',
  '/v1/rerank': 'rerank',
  '/v1/moderations': 'moderation',
};

/** `gen_ai.operation.name` of an endpoint; a mirrored copy has the endpoint `mirror/NAME`. */
export function nameOperation(endpoint: string): string {
  if (endpoint.startsWith('mirror/')) return 'chat';
  return OPERATIONS[endpoint] ?? 'generate_content';
}

/** The conventions' names of providers that differ from the catalogue's. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'amazon-bedrock': 'aws.bedrock',
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
  'google-vertex': 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  moonshotai: 'moonshot_ai',
  xai: 'x_ai',
};

/** `gen_ai.provider.name`; the provider's own id where the conventions have none. */
export function nameProvider(providerId: string): string {
  return PROVIDERS[providerId] ?? providerId;
}

const FINISHES: Readonly<Record<string, string>> = {
  completed: 'stop',
  length: 'length',
  tool_calls: 'tool_call',
  content_filter: 'content_filter',
};

/** An element of `gen_ai.response.finish_reasons`; undefined if the model did not finish. */
export function nameFinish(finishReason: string): string | undefined {
  return FINISHES[finishReason];
}
