import { Type } from 'typebox';
import { createParamError } from '#errors';
import { defineEndpoint } from '../../../endpoint.ts';
import { selectVisible } from '../../../gateway/find-listed.ts';
import { describeGoogleModel, googleModelSchema } from '../../../gateway/google-model.ts';
import { KEY_QUERY } from '../../../gateway/key-in-query.ts';
import { sendJson } from '../../../send-json.ts';

/** Google's own; larger sizes are reduced to the maximum, as Google does. */
const DEFAULT_SIZE = 50;
const MOST = 1000;

const pageSchema = Type.Object({
  models: Type.Array(googleModelSchema),
  nextPageToken: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
});

export const geminiModelsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1beta/models',
  aliases: ['/v1alpha/models'],
  summary: 'The models of `GET /v1/models` in Google’s format, in pages.',
  auth: 'optional',
  takesKeyInQuery: true,
  format: 'gemini',
  query: {
    ...KEY_QUERY,
    pageSize: `The most models returned; ${DEFAULT_SIZE} by default, ${MOST} at most.`,
    pageToken: 'The `nextPageToken` of the page before.',
  },
  responses: { 200: { description: 'The page.', schema: pageSchema } },
  refusals: [400, 401, 403, 500, 503],
  needs: ['catalogue', 'clock', 'ownModels'],
  handle: async ({ query, caller, reply }, ports) => {
    const size = readSize(query.get('pageSize'));
    const all = selectVisible(ports, caller);
    const start = findStart(
      all.map(({ model }) => model.id),
      query.get('pageToken'),
    );
    const page = all.slice(start, start + size);
    const last = page.at(-1);
    const body = {
      models: page.map((listed) => describeGoogleModel(listed, ports.clock.now())),
      ...(last && start + size < all.length && { nextPageToken: encodeToken(last.model.id) }),
    };
    sendJson(reply, body);
  },
});

/** As in Google's API, an absent size, an empty one and 0 mean the default. */
function readSize(text: string | null): number {
  if (!/^\d{0,9}$/.test(text ?? '')) throw createParamError('pageSize', 'must be a whole number from 0');
  return Math.min(Number(text ?? 0) || DEFAULT_SIZE, MOST);
}

/** A token is the last id of its page, so that models that come or go meanwhile move no other. */
function findStart(ids: readonly string[], token: string | null): number {
  if (token === null || token === '') return 0;
  const at = ids.findIndex((id) => encodeToken(id) === token);
  if (at !== -1) return at + 1;
  throw createParamError(
    'pageToken',
    'must be the nextPageToken of a page of this list; start again without it',
  );
}

function encodeToken(id: string): string {
  return Buffer.from(id).toString('base64url');
}
