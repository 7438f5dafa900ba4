import type { JobPage } from '#videos';
import { Type } from 'typebox';
import { GatewayError } from '#errors';
import { videoSchema } from '#videos';
import { openaiErrorSchema } from '#wire';
import { defineEndpoint } from '../../../endpoint.ts';
import { describeRefusals } from '../../../refusals.ts';
import { sendJson } from '../../../send-json.ts';

const DEFAULT_LIMIT = 20;
const MOST = 100;

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
  const limit = query.get('limit') ?? String(DEFAULT_LIMIT);
  const order = query.get('order') ?? 'desc';
  const after = query.get('after');
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > MOST)
    throw new GatewayError('invalid_request', `limit must be a whole number from 1 to ${MOST}`, {
      param: 'limit',
    });
  if (order !== 'asc' && order !== 'desc')
    throw new GatewayError('invalid_request', 'order must be asc or desc', { param: 'order' });
  if (after !== null && !/^\w{1,100}$/.test(after))
    throw new GatewayError('invalid_request', 'after must be the id of a video', { param: 'after' });
  return { limit: Number(limit), order, ...(after !== null && { after }) };
}
