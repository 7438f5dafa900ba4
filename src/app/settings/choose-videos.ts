import type { VideoSettings } from '#videos';
import { SettingsSection, type SettingsSources } from './section.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = 24;

/** The `videos` part of the configuration. */
export function chooseVideos(sources: SettingsSources): VideoSettings {
  const videos = new SettingsSection(sources, 'videos', sources.content.videos);
  const pollMs = videos.find('pollMs');
  return {
    expireMs: videos.choose('expireHours', DEFAULT_HOURS) * HOUR_MS,
    linkMs: videos.choose('linkHours', DEFAULT_HOURS) * HOUR_MS,
    ...(pollMs !== undefined && { pollMs }),
  };
}
