import type { Reading } from './reading.ts';
import { measureFlacFrame, readUsualRate } from './flac-length.ts';

/** A stream of packets. */
interface Stream {
  /** The seconds of the packet at a place; absent where the codec is unknown. */
  measure?: ((at: number) => number) | undefined;
  /** How many of the positions that pages state are a second; absent where the packets are exact. */
  rate?: number;
}

/** A page: its mark, version, type, position, stream, number, checksum and how many sizes follow. */
const PAGE_HEAD = 27;
/** Of one frame of Opus, by the first five bits of its packet. */
const OPUS_FRAME_MS = [
  10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 10, 20, 2.5, 5, 10, 20, 2.5, 5, 10, 20, 2.5, 5, 10,
  20, 2.5, 5, 10, 20,
] as const;
/** Chained recordings begin new streams; beyond so many the length is unknown. */
const MOST_STREAMS = 1_000;
const LONGEST_OPUS_MS = 120;
/** `Opus`, as `OpusHead` and `OpusTags` begin. */
const OPUS_MARK = 0x4f707573;

/**
 * Counts the packets of Opus, Vorbis and FLAC. Every mark is taken for a page, also one within another: where a page is false,
 * decoders search it for pages.
 */
export function readOgg(bytes: Buffer): Reading {
  const streams = new Map<number, Stream>();
  const reading: Reading & { counted: number } = { counted: 0 };
  let sizesLeft = bytes.length; // pages that overlap may have more
  for (let at = bytes.indexOf('OggS'); at !== -1; at = bytes.indexOf('OggS', at + 4)) {
    if (at + PAGE_HEAD >= bytes.length) break;
    const sizes = bytes.subarray(at + PAGE_HEAD, at + PAGE_HEAD + (bytes[at + 26] ?? 0));
    const body = at + PAGE_HEAD + sizes.length;
    const serial = bytes.readUInt32LE(at + 14);
    const stream = streams.get(serial) ?? identify(bytes, body);
    sizesLeft -= sizes.length;
    if (stream.measure === undefined || streams.size > MOST_STREAMS || sizesLeft < 0) return {};
    streams.set(serial, stream);
    let place = body;
    let isOpen = ((bytes[at + 5] ?? 0) & 1) === 1; // the first packet began in an earlier page
    for (const size of sizes) {
      if (!isOpen && size > 0) reading.counted += stream.measure(place);
      isOpen = size === 255;
      place += size;
    }
    if (stream.rate) reading.stated = Number(bytes.readBigInt64LE(at + 6)) / stream.rate;
  }
  return reading;
}

function identify(bytes: Buffer, at: number): Stream {
  const mark = bytes.toString('latin1', at, at + 8);
  if (mark === 'OpusHead') return { measure: (place) => measureOpus(bytes, place) };
  if (mark.startsWith('\u007fFLAC')) {
    const usualRate = readUsualRate(bytes, at + 9);
    return { measure: (place) => measureFlacFrame(bytes, place, usualRate) };
  }
  if (!mark.startsWith('\u0001vorbis')) return {};
  const rate = bytes.readUInt32LE(at + 12);
  const longSeconds = 2 ** ((bytes[at + 28] ?? 0) >> 4) / 2 / rate; // few packets are shorter
  const isHeader = (place: number): boolean => ((bytes[place] ?? 0) & 1) === 1;
  return { measure: (place) => (isHeader(place) ? 0 : longSeconds), rate };
}

function measureOpus(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (at + 4 <= bytes.length && bytes.readUInt32BE(at) === OPUS_MARK) return 0;
  const code = first & 3;
  const frames = code === 3 ? (bytes[at + 1] ?? 0) & 0x3f : code === 0 ? 1 : 2;
  return Math.min(frames * (OPUS_FRAME_MS[first >> 3] ?? 0), LONGEST_OPUS_MS) / 1_000;
}
