import { messagesRequestSchema, messagesResponseSchema } from '#wire';
import { withPreferences } from '../../../with-preferences.ts';
import { defineTextEndpoint } from '../../../model-endpoint.ts';

export const messagesEndpoint = defineTextEndpoint('messages', {
  path: '/v1/messages',
  summary: 'Create a message (Anthropic Messages format); JSON, or server-sent events with `stream: true`.',
  body: withPreferences(messagesRequestSchema),
  answer: { description: 'The message, or its events.', schema: messagesResponseSchema },
});
