import { encodeList } from '#fields';
import type { JobPage } from '#videos';
import { createParamError } from '#errors';
import { videoSchema } from '#videos';
import { createPageSchema, describeCursorQuery, readCursorPage } from '../../../gateway/cursor-page.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { sendJson } from '../../../send-json.ts';

export const listVideosEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/videos',
  aliases: ['/videos', '/v1/v1/videos'],
  summary: 'List the videos of the project, or of the end user of a session token.',
  auth: 'caller',
  format: 'chat',
  query: describeCursorQuery('video', 'newest first'),
  responses: { 200: { description: 'The page.', schema: createPageSchema(videoSchema) } },
  refusals: [400, 401, 403, 500, 503],
  needs: ['videos'],
  handle: async ({ query, caller, reply }, { videos }) => {
    const page = readPage(query);
    const jobs = await videos.list(caller, { ...page, limit: page.limit + 1 });
    const found = jobs.map((job) => videos.describe(job));
    sendJson(reply, encodeList(found, page.limit));
  },
});

function readPage(query: URLSearchParams): JobPage {
  const { after, ...page } = readCursorPage(query);
  if (after !== null && !/^\w{1,100}$/.test(after))
    throw createParamError('after', 'must be the id of a video');
  return { ...page, ...(after !== null && { after }) };
}
