import { type Reading, refuseUncounted } from './reading.ts';

export const AMR_FRAME_SECONDS = 0.02;
/** These are 5 hours. */
const MOST_FRAMES = 1_000_000;
/** Bytes of a frame by its kind, which its first byte has; the narrow and the wide band. */
const NARROW_BYTES = [13, 14, 16, 18, 20, 21, 27, 32, 6, 1, 1, 1, 1, 1, 1, 1] as const;
const WIDE_BYTES = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 1, 1, 1, 1, 1, 1] as const;
/** The beginning of files with one channel, and with several. */
const BEGINNING = /^#!AMR(?<wide>-WB)?(?:_MC1\.0)?\n/;
const BEGINNING_BYTES = 16;

/** Counts the frames: a silent one has one byte. */
export function readAmr(bytes: Buffer): Reading {
  const beginning = BEGINNING.exec(bytes.toString('latin1', 0, BEGINNING_BYTES));
  if (!beginning) return {};
  const sizes = beginning.groups?.['wide'] ? WIDE_BYTES : NARROW_BYTES;
  let frames = 0;
  for (let at = beginning[0].length; at < bytes.length; frames += 1) {
    if (frames === MOST_FRAMES) return refuseUncounted('frames');
    at += sizes[((bytes[at] ?? 0) >> 3) & 0x0f] ?? 1;
  }
  return { counted: frames * AMR_FRAME_SECONDS };
}
