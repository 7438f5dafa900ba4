import { crc32 } from 'node:zlib';
import type { Block } from '#canonical';
import { createLru } from '#base';

/** What dates and times are made of, in English. */
const DATED = new RegExp(
  [
    String.raw`\d+`,
    String.raw`\b(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?\b`,
    String.raw`\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?)\b`,
    String.raw`\b(?:Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|[AP]M)\b`,
  ].join('|'),
  'g',
);
const MOST_KNOWN = 2_000;
/** System blocks rarely change, and reading one for dates takes as long as hashing it. */
const known = createLru<number, number>(MOST_KNOWN);

/** A hash of a system block that stays the same if only a date in it changes; `hash` is that of the whole block. */
export function hashUndated(block: Block, hash: number): number {
  if (block.type !== 'text') return hash;
  const earlier = known.get(hash);
  if (earlier !== undefined) return earlier;
  const undated = crc32(block.text.replace(DATED, '#'));
  known.set(hash, undated);
  return undated;
}
