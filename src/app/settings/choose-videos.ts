import type { VideoSettings } from '#videos';
import type { SettingsFile } from './settings-schema.ts';
import type { Chooser } from './choose.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_HOURS = 24;

/** The `videos` part of the configuration. */
export function chooseVideos(
  { videos = {} }: SettingsFile,
  locate: (...path: string[]) => string,
  chooser: Chooser,
): VideoSettings {
  const hours = (name: 'expireHours' | 'linkHours'): number =>
    chooser.choose(
      `videos.${name}`,
      [{ value: videos[name], source: locate('videos', name) }],
      DEFAULT_HOURS,
    );
  const pollMs = chooser.find('videos.pollMs', [
    { value: videos.pollMs, source: locate('videos', 'pollMs') },
  ]);
  return {
    expireMs: hours('expireHours') * HOUR_MS,
    linkMs: hours('linkHours') * HOUR_MS,
    ...(pollMs !== undefined && { pollMs }),
  };
}
