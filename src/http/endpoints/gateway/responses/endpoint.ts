import { serve, textGeneration } from '#pipeline';
import { openaiErrorSchema, responseSchema, responsesRequestSchema } from '#wire';
import { withFallbacks } from '../../../choosing.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeRefusals } from '../../../refusals.ts';

export const responsesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/responses',
  aliases: ['/responses', '/v1/v1/responses'],
  summary: 'Create a response (OpenAI Responses format); JSON, or server-sent events with `stream: true`.',
  auth: 'path',
  format: 'responses',
  body: withFallbacks(responsesRequestSchema),
  responses: {
    200: { description: 'The response, or its events.', schema: responseSchema },
    ...describeRefusals(
      openaiErrorSchema,
      [400, 401, 402, 403, 404, 408, 409, 413, 415, 422, 429, 500, 502, 503, 504],
    ),
  },
  needs: ['generation'],
  handle: (call, { generation }) =>
    serve(generation, call.arrive('/v1/responses', 'responses'), textGeneration),
});
