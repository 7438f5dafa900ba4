import { defineTextEndpoint } from '../../../gateway/model-endpoint.ts';

export const chatCompletionsEndpoint = defineTextEndpoint('chat', {
  path: '/v1/chat/completions',
  summary: 'Create a chat completion (OpenAI format); JSON, or server-sent events with `stream: true`.',
  answer: 'The completion, or its chunks.',
});
