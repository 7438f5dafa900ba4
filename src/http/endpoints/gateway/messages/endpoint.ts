import { defineTextEndpoint } from '../../../gateway/model-endpoint.ts';

export const messagesEndpoint = defineTextEndpoint('messages', {
  path: '/v1/messages',
  summary: 'Create a message (Anthropic Messages format); JSON, or server-sent events with `stream: true`.',
  answer: 'The message, or its events.',
});
