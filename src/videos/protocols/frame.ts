/** A size as an aspect ratio and a resolution. */
interface Frame {
  /** Such as `16:9`. */
  aspectRatio: string;
  /** The short side: `480p`, `720p`, `1080p`, `4k`. */
  resolution: string;
}

const RATIOS: readonly [string, number][] = [
  ['16:9', 16 / 9],
  ['9:16', 9 / 16],
  ['1:1', 1],
  ['4:3', 4 / 3],
  ['3:4', 3 / 4],
  ['3:2', 3 / 2],
  ['2:3', 2 / 3],
];

/** The nearest frame of a size such as `1280x720`; sides rounded up by codecs keep their aspect ratio. */
export function toFrame(size: string): Frame {
  const [width = 1, height = 1] = size.split('x').map(Number);
  const [aspectRatio] = RATIOS.reduce((best, next) =>
    Math.abs(next[1] - width / height) < Math.abs(best[1] - width / height) ? next : best,
  );
  const short = Math.min(width, height);
  return { aspectRatio, resolution: short >= 2160 ? '4k' : `${short}p` };
}
