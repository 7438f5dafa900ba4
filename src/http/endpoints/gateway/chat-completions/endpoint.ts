import { serve, textGeneration } from '#pipeline';
import { chatRequestSchema, chatResponseSchema, openaiErrorSchema } from '#wire';
import { withFallbacks } from '../../../choosing.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeRefusals } from '../../../refusals.ts';

export const chatCompletionsEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/chat/completions',
  aliases: ['/chat/completions', '/v1/v1/chat/completions'],
  summary: 'Create a chat completion (OpenAI format); JSON, or server-sent events with `stream: true`.',
  auth: 'path',
  format: 'chat',
  body: withFallbacks(chatRequestSchema),
  responses: {
    200: { description: 'The completion, or its chunks.', schema: chatResponseSchema },
    ...describeRefusals(
      openaiErrorSchema,
      [400, 401, 402, 403, 404, 408, 409, 413, 415, 422, 429, 500, 502, 503, 504],
    ),
  },
  needs: ['generation'],
  handle: (call, { generation }) =>
    serve(generation, call.arrive('/v1/chat/completions', 'chat'), textGeneration),
});
