import { responseSchema, responsesRequestSchema } from '#wire';
import { withFallbacks } from '../../../with-preferences.ts';
import { defineTextEndpoint } from '../../../model-endpoint.ts';

export const responsesEndpoint = defineTextEndpoint('responses', {
  path: '/v1/responses',
  summary: 'Create a response (OpenAI Responses format); JSON, or server-sent events with `stream: true`.',
  body: withFallbacks(responsesRequestSchema),
  answer: { description: 'The response, or its events.', schema: responseSchema },
});
