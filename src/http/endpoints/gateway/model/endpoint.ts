import { CREDENTIAL_HEADERS } from '#accounts';
import { describeListed, modelEntrySchema } from '#catalogue';
import { defineEndpoint } from '../../../endpoint.ts';
import { getVisible } from '../../../gateway/find-listed.ts';
import { sendJson } from '../../../send-json.ts';

/** Names may contain slashes, literally or encoded: `google/gemini-2.5-pro`. Gemini's methods use POST. */
const ADDRESS = /^(?:\/v1){0,2}\/models\/(?!.*:(?:generateContent|streamGenerateContent|countTokens)\/?$)\w/;

export const modelEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/models/*',
  template: '/v1/models/{model}',
  pattern: ADDRESS,
  aliases: ['/models/*', '/v1/v1/models/*'],
  summary: 'One model of the catalogue by any of its names; `provider/model` selects that provider’s offer.',
  auth: 'optional',
  format: 'chat',
  responses: { 200: { description: 'The model, as `GET /v1/models` lists it.', schema: modelEntrySchema } },
  refusals: [401, 403, 404, 500, 503],
  needs: ['catalogue', 'clock', 'ownModels'],
  handle: async ({ params: { '*': name = '' }, caller, reply }, ports) => {
    const { isPinned, ...listed } = getVisible(ports, name, caller);
    const entry = describeListed(listed, { mapped: isPinned, now: ports.clock.now() });
    sendJson(reply, entry, {
      'cache-control': caller ? 'private, no-store' : 'public, max-age=60',
      vary: [...CREDENTIAL_HEADERS, 'origin'].join(', '),
    });
  },
});
