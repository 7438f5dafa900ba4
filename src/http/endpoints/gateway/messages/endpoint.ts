import { messagesRequestSchema, messagesResponseSchema } from '#wire';
import { withChoice } from '../../../choosing.ts';
import { defineTextEndpoint } from '../../../model-endpoint.ts';

export const messagesEndpoint = defineTextEndpoint('messages', {
  path: '/v1/messages',
  summary: 'Create a message (Anthropic Messages format); JSON, or server-sent events with `stream: true`.',
  body: withChoice(messagesRequestSchema),
  answer: { description: 'The message, or its events.', schema: messagesResponseSchema },
});
