import { defineTextEndpoint } from '../../../gateway/model-endpoint.ts';

export const responsesEndpoint = defineTextEndpoint('responses', {
  path: '/v1/responses',
  summary: 'Create a response (OpenAI Responses format); JSON, or server-sent events with `stream: true`.',
  answer: 'The response, or its events.',
});
