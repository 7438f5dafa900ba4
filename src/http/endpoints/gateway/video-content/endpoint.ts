import { createParamError } from '#errors';
import { CONTENT_REFUSALS, CONTENT_RESPONSES } from '../../../gateway/content-responses.ts';
import { defineEndpoint } from '../../../endpoint.ts';
import { getVideo } from '../../../gateway/get-video.ts';

export const videoContentEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/videos/:id/content',
  aliases: ['/videos/:id/content', '/v1/v1/videos/:id/content'],
  summary: 'The content of a completed video, whole or by range.',
  auth: 'caller',
  format: 'chat',
  query: { variant: '`video`, the only one.' },
  responses: {
    ...CONTENT_RESPONSES,
    400: { description: 'A variant other than the video.' },
  },
  refusals: CONTENT_REFUSALS,
  needs: ['videos'],
  handle: async (call, { videos }) => {
    const job = await getVideo(videos, call);
    const { query, headers, method, reply } = call;
    if ((query.get('variant') ?? 'video') !== 'video')
      throw createParamError('variant', 'only the video itself is available', 'unsupported_feature');
    await videos.sendContent(job, { headers, isHead: method === 'HEAD', reply });
  },
});
