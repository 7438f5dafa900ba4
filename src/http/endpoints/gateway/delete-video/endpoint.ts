import { Type } from 'typebox';
import { permitRole } from '#pipeline';
import { defineEndpoint } from '../../../endpoint.ts';
import { sendJson } from '../../../send-json.ts';
import { createNoVideo, getVideo } from '../../../gateway/get-video.ts';

const deletionSchema = Type.Object({
  id: Type.String(),
  object: Type.Literal('video.deleted'),
  deleted: Type.Literal(true),
});

export const deleteVideoEndpoint = defineEndpoint({
  method: 'DELETE',
  path: '/v1/videos/:id',
  aliases: ['/videos/:id', '/v1/v1/videos/:id'],
  summary: 'Delete a video; a job in progress is canceled, at no cost.',
  auth: 'caller',
  format: 'chat',
  responses: { 200: { description: 'It is gone.', schema: deletionSchema } },
  refusals: [401, 403, 404, 500, 503],
  needs: ['videos'],
  handle: async (call, { videos }) => {
    permitRole(call.caller, 'call');
    const { id, projectId } = await getVideo(videos, call);
    if (!(await videos.delete(id, { projectId }))) throw createNoVideo();
    sendJson(call.reply, { id, object: 'video.deleted', deleted: true });
  },
});
