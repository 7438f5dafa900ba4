import { measureFlacFrame, readUsualRate } from './flac-length.ts';
import { measureOpus, readVorbisHeader } from './packets.ts';
import { LEAST_BYTES_PER_SECOND, type Reading, refuseUncounted } from './reading.ts';

/** A stream of packets. */
interface Stream {
  /** The seconds of the packet at a place; absent where the codec is unknown. */
  measure?: ((at: number) => number) | undefined;
  /** How many of the positions that pages state are a second; absent where the packets are exact. */
  rate?: number;
}

const NEAR_BYTES = 64;
/** A page: its mark, version, type, position, stream, number, checksum and how many sizes follow. */
const PAGE_HEAD = 27;
/** Chained recordings begin new streams. */
const MOST_STREAMS = 1_000;
/** 100 minutes of pages with one packet of 20 ms. */
const MOST_PAGES = 300_000;
/** Sizes of packets: 5 hours of packets of 20 ms. */
const MOST_SIZES = 1_000_000;
/** The bytes read of the first packet of a Vorbis or FLAC stream. */
const STREAM_HEAD = 30;
/** `Opus`, as `OpusHead` and `OpusTags` begin. */
const OPUS_MARK = 0x4f707573;

/**
 * Counts the packets of Opus, Vorbis and FLAC. Every mark counts as a page, also inside another page, because decoders
 * search an invalid page for pages. Streams of unknown codecs next to known ones count by their bytes, so that they hide
 * nothing.
 */
export function readOgg(bytes: Buffer): Reading {
  const streams = new Map<number, Stream>();
  const reading: Reading & { counted: number } = { counted: 0 };
  let [pages, sizes, isKnown] = [0, 0, false];
  for (let at = findPage(bytes, 0); at !== -1; at = findPage(bytes, at + 4)) {
    if (at + PAGE_HEAD >= bytes.length) break;
    const body = Math.min(bytes.length, at + PAGE_HEAD + (bytes[at + 26] ?? 0));
    const serial = bytes.readUInt32LE(at + 14);
    let stream = streams.get(serial);
    if (stream === undefined) streams.set(serial, (stream = identify(bytes, body)));
    pages += 1;
    sizes += body - at - PAGE_HEAD;
    if (pages > MOST_PAGES || sizes > MOST_SIZES || streams.size > MOST_STREAMS)
      return refuseUncounted('pages, packets or streams');
    isKnown ||= stream.measure !== undefined;
    reading.counted += measurePage(bytes, { at, body }, stream);
    if (stream.rate) reading.stated = Number(bytes.readBigInt64LE(at + 6)) / stream.rate;
  }
  return isKnown ? reading : {};
}

/**
 * The next mark. Pages may be short, so near bytes are compared here: a call of Buffer.indexOf costs as much as a look at
 * many.
 */
function findPage(bytes: Buffer, from: number): number {
  const near = Math.min(from + NEAR_BYTES, bytes.length - 3);
  for (let at = from; at < near; at += 1)
    if (bytes[at] === 0x4f && bytes[at + 1] === 0x67 && bytes[at + 2] === 0x67 && bytes[at + 3] === 0x53)
      return at;
  return bytes.indexOf('OggS', Math.max(from, near));
}

/** The seconds of the packets that begin in a page; of an unknown codec, of its bytes. */
function measurePage(bytes: Buffer, { at, body }: { at: number; body: number }, { measure }: Stream): number {
  let seconds = 0;
  let place = body;
  let isOpen = ((bytes[at + 5] ?? 0) & 1) === 1; // the first packet began in an earlier page
  for (let next = at + PAGE_HEAD; next < body; next += 1) {
    const size = bytes[next] ?? 0;
    if (measure === undefined) seconds += size / LEAST_BYTES_PER_SECOND;
    else if (!isOpen && size > 0) seconds += measure(place);
    isOpen = size === 255;
    place += size;
  }
  return seconds;
}

function identify(bytes: Buffer, at: number): Stream {
  const mark = bytes.toString('latin1', at, at + 8);
  if (mark === 'OpusHead')
    return { measure: (place) => (isOpusHeader(bytes, place) ? 0 : measureOpus(bytes, place)) };
  if (at + STREAM_HEAD > bytes.length) return {};
  if (mark.startsWith('\u007fFLAC')) {
    const usualRate = readUsualRate(bytes, at + 9);
    return { measure: (place) => measureFlacFrame(bytes, place, usualRate) };
  }
  if (!mark.startsWith('\u0001vorbis')) return {};
  const { rate, longSeconds } = readVorbisHeader(bytes, at);
  const isHeader = (place: number): boolean => ((bytes[place] ?? 0) & 1) === 1;
  return { measure: (place) => (isHeader(place) ? 0 : longSeconds), rate };
}

function isOpusHeader(bytes: Buffer, at: number): boolean {
  return at + 4 <= bytes.length && bytes.readUInt32BE(at) === OPUS_MARK;
}
