import type { VideoJob, Videos } from '#videos';
import type { Call } from '../endpoint.ts';
import { GatewayError } from '#errors';

const VIDEO_ID = /^video_\w{1,60}$/;

/** Unknown, deleted, another project's and malformed ids get the same answer. */
export function createNoVideo(param = 'id'): GatewayError {
  return new GatewayError('not_found', 'there is no such video here', { param });
}

/** The video in the path of a call, if it is the caller's; otherwise throws `not_found`. */
export async function getVideo(
  videos: Videos,
  { params: { id = '' }, caller }: Required<Pick<Call, 'params' | 'caller'>>,
): Promise<VideoJob> {
  const job = VIDEO_ID.test(id) ? await videos.find(id, caller) : undefined;
  if (!job) throw createNoVideo();
  return job;
}
