import { defineEndpoint } from '../../../endpoint.ts';
import { getVisible } from '../../../gateway/find-listed.ts';
import { describeGoogleModel, googleModelSchema } from '../../../gateway/google-model.ts';
import { KEY_QUERY } from '../../../gateway/key-in-query.ts';
import { sendJson } from '../../../send-json.ts';

/** Names may contain slashes, literally or encoded, and colons; a last part like `:embedContent` is one of Google's methods. */
const ADDRESS = /^\/v1(?:alpha|beta)\/models\/(?!.*:(?:[a-z]+[A-Z][A-Za-z]*|predict)\/?$)\w/;

export const geminiModelEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1beta/models/*',
  template: '/v1beta/models/{model}',
  pattern: ADDRESS,
  aliases: ['/v1alpha/models/*'],
  summary: 'One model in Google’s format, by any name that `GET /v1/models/{model}` understands.',
  auth: 'optional',
  takesKeyInQuery: true,
  format: 'gemini',
  query: KEY_QUERY,
  responses: {
    200: { description: 'The model, as `GET /v1beta/models` lists it.', schema: googleModelSchema },
  },
  refusals: [401, 403, 404, 500, 503],
  needs: ['catalogue', 'clock', 'ownModels'],
  handle: async ({ params: { '*': name = '' }, caller, reply }, ports) => {
    const model = describeGoogleModel(getVisible(ports, name, caller), ports.clock.now());
    sendJson(reply, model);
  },
});
