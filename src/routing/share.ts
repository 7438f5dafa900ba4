const RANGE = 2 ** 32;

/** A number between 0 and 1 derived from a text: the same for the same text, otherwise evenly distributed. */
export function toShare(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (((hash ^ (hash >>> 16)) >>> 0) + 0.5) / RANGE;
}
