import { videoSchema } from '#videos';
import { defineEndpoint } from '../../../endpoint.ts';
import { sendJson } from '../../../send-json.ts';
import { getVideo } from '../../../gateway/get-video.ts';

export const videoEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/videos/:id',
  aliases: ['/videos/:id', '/v1/v1/videos/:id'],
  summary: 'The status of a video and, once completed, the URL of its content.',
  auth: 'caller',
  format: 'chat',
  responses: { 200: { description: 'The job.', schema: videoSchema } },
  refusals: [401, 403, 404, 500, 503],
  needs: ['videos'],
  handle: async (call, { videos }) => {
    const job = await getVideo(videos, call);
    sendJson(call.reply, videos.describe(job));
  },
});
