import type { JobPage } from '#videos';
import { Type } from 'typebox';
import { GatewayError } from '#errors';
import { videoSchema } from '#videos';
import { openaiErrorSchema } from '#wire';
import { DEFAULT_LIMIT, MOST, readCursorPage } from '../../../cursor-page.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeRefusals } from '../../../refusals.ts';
import { sendJson } from '../../../send-json.ts';

const pageSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(videoSchema),
  first_id: Type.Union([Type.String(), Type.Null()]),
  last_id: Type.Union([Type.String(), Type.Null()]),
  has_more: Type.Boolean(),
});

export const listVideosEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/videos',
  aliases: ['/videos', '/v1/v1/videos'],
  summary: 'List the videos of the project, or of the end user of a session token.',
  auth: 'caller',
  format: 'chat',
  query: {
    after: 'The id of the last video of the page before.',
    limit: `The most videos returned; ${DEFAULT_LIMIT} by default, ${MOST} at most.`,
    order: '`desc` (newest first, the default) or `asc`.',
  },
  responses: {
    200: { description: 'The page.', schema: pageSchema },
    ...describeRefusals(openaiErrorSchema, [400, 401, 403, 500, 503]),
  },
  needs: ['videos'],
  handle: async ({ query, caller, reply }, { videos }) => {
    const page = readPage(query);
    const jobs = await videos.list(caller, { ...page, limit: page.limit + 1 });
    const data = jobs.slice(0, page.limit).map((job) => videos.describe(job));
    const body = {
      object: 'list',
      data,
      first_id: data[0]?.['id'] ?? null,
      last_id: data.at(-1)?.['id'] ?? null,
      has_more: jobs.length > page.limit,
    };
    sendJson(reply, body, { 'cache-control': 'private, no-store' });
  },
});

function readPage(query: URLSearchParams): JobPage {
  const { after, ...page } = readCursorPage(query);
  if (after !== null && !/^\w{1,100}$/.test(after))
    throw new GatewayError('invalid_request', 'after must be the id of a video', { param: 'after' });
  return { ...page, ...(after !== null && { after }) };
}
