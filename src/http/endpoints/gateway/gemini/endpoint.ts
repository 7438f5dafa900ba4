import { countTokens, serve, textGeneration } from '#pipeline';
import { CLIENT_FACTS, createGeminiInbound, decodeGeminiCount } from '#wire';
import { defineEndpoint } from '../../../endpoint.ts';
import { KEY_QUERY, withKey } from '../../../gateway/key-in-query.ts';

/** Model names may contain slashes (`google/gemini-2.5-pro`) and colons; the method follows the last colon. */
const ADDRESS =
  /^\/(?:v1beta|v1alpha|v1)\/models\/(.+):(generateContent|streamGenerateContent|countTokens)\/?$/;

export const geminiEndpoint = defineEndpoint({
  method: 'POST',
  path: '/v1beta/models/*',
  template: '/v1beta/models/{model}:{method}',
  pattern: ADDRESS,
  aliases: ['/v1/models/*', '/v1alpha/models/*'],
  summary:
    'Google’s `generateContent`, `streamGenerateContent` (always server-sent events) and `countTokens` for every model.',
  auth: 'path',
  format: 'gemini',
  query: KEY_QUERY,
  body: CLIENT_FACTS.gemini.requestSchema,
  responses: {
    200: { description: 'The answer, its chunks, or the count.', schema: CLIENT_FACTS.gemini.answerSchema },
  },
  refusals: [400, 401, 402, 403, 404, 408, 409, 413, 415, 422, 429, 500, 502, 503, 504],
  needs: ['generation'],
  handle: async (call, { generation }) => {
    const { model, method } = readAddress(call.path);
    const arrival = {
      ...call.arrive(`/v1beta/models/{model}:${method}`, 'gemini'),
      headers: withKey(call.headers, call.query),
    };
    if (method === 'countTokens') {
      await countTokens(generation, arrival, {
        decode: (body) => decodeGeminiCount(body, model),
        encode: (totalTokens) => ({ totalTokens }),
      });
      return;
    }
    const format = createGeminiInbound({ model, stream: method === 'streamGenerateContent' });
    await serve(generation, { ...arrival, format }, textGeneration);
  },
});

function readAddress(path: string): { model: string; method: string } {
  const [, model = '', method = ''] = ADDRESS.exec(path) ?? [];
  return { model: decodePath(model), method };
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
