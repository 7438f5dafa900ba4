import type { Caller } from '#accounts';
import type { VideoJob, Videos } from '#videos';
import { GatewayError } from '#errors';

const VIDEO_ID = /\/videos\/(video_\w{1,60})(?:\/content)?\/?$/;
const LOG_ID = /\/videos\/logs\/(req_\w{1,60})\/content\/?$/;

/** Unknown, deleted, another project's and no id at all: nobody learns which. */
export function createNoVideo(): GatewayError {
  return new GatewayError('not_found', 'there is no such video here');
}

/** The video a path names, if it is the caller's; throws `not_found` else. */
export async function getVideo(videos: Videos, path: string, caller: Caller | undefined): Promise<VideoJob> {
  if (!caller) throw new GatewayError('missing_credential', 'an API key is required');
  const [, id] = VIDEO_ID.exec(path) ?? [];
  const job = id === undefined ? undefined : await videos.find(id, caller);
  if (!job) throw createNoVideo();
  return job;
}

/** The log id of a content address; absent where it is none. */
export function findLogId(path: string): string | undefined {
  return LOG_ID.exec(path)?.[1];
}
