import { serve, textGeneration } from '#pipeline';
import { messagesErrorSchema, messagesRequestSchema, messagesResponseSchema } from '#wire';
import { withChoice } from '../../../choosing.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeRefusals } from '../../../refusals.ts';

export const messagesEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1/messages',
  aliases: ['/messages', '/v1/v1/messages'],
  summary: 'Create a message (Anthropic Messages format); JSON, or server-sent events with `stream: true`.',
  auth: 'path',
  format: 'messages',
  body: withChoice(messagesRequestSchema),
  responses: {
    200: { description: 'The message, or its events.', schema: messagesResponseSchema },
    ...describeRefusals(
      messagesErrorSchema,
      [400, 401, 402, 403, 404, 408, 409, 413, 415, 422, 429, 500, 502, 503, 504, 529],
    ),
  },
  needs: ['generation'],
  handle: (call, { generation }) =>
    serve(generation, call.arrive('/v1/messages', 'messages'), textGeneration),
});
