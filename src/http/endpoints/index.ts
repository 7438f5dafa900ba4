import type { Endpoint } from '../endpoint.ts';
import { chatCompletionsEndpoint } from './gateway/chat-completions/endpoint.ts';
import { countTokensEndpoint } from './gateway/count-tokens/endpoint.ts';
import { healthEndpoint } from './gateway/health/endpoint.ts';
import { keyEndpoint } from './gateway/key/endpoint.ts';
import { livezEndpoint } from './gateway/livez/endpoint.ts';
import { messagesEndpoint } from './gateway/messages/endpoint.ts';
import { modelsEndpoint } from './gateway/models/endpoint.ts';
import { openapiEndpoint } from './gateway/openapi/endpoint.ts';
import { readyzEndpoint } from './gateway/readyz/endpoint.ts';

/** Every endpoint of the gateway; what is not listed here does not exist. */
export const ENDPOINTS: readonly Endpoint[] = [
  messagesEndpoint,
  countTokensEndpoint,
  chatCompletionsEndpoint,
  keyEndpoint,
  modelsEndpoint,
  healthEndpoint,
  livezEndpoint,
  readyzEndpoint,
  openapiEndpoint,
];
