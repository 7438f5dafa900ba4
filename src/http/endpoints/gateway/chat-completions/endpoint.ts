import { chatRequestSchema, chatResponseSchema } from '#wire';
import { withFallbacks } from '../../../with-preferences.ts';
import { defineTextEndpoint } from '../../../model-endpoint.ts';

export const chatCompletionsEndpoint = defineTextEndpoint('chat', {
  path: '/v1/chat/completions',
  summary: 'Create a chat completion (OpenAI format); JSON, or server-sent events with `stream: true`.',
  body: withFallbacks(chatRequestSchema),
  answer: { description: 'The completion, or its chunks.', schema: chatResponseSchema },
});
