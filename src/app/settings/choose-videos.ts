import type { VideoSettings } from '#videos';
import { Section, type Sources } from './section.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = 24;

/** The `videos` part of the configuration. */
export function chooseVideos(sources: Sources): VideoSettings {
  const videos = new Section(sources, 'videos', sources.content.videos);
  const pollMs = videos.find('pollMs');
  return {
    expireMs: videos.choose('expireHours', DEFAULT_HOURS) * HOUR_MS,
    linkMs: videos.choose('linkHours', DEFAULT_HOURS) * HOUR_MS,
    ...(pollMs !== undefined && { pollMs }),
  };
}
