import { AMR_FRAME_SECONDS } from './amr-length.ts';
import { LONGEST_OPUS_SECONDS, readAacConfig } from './packets.ts';
import { LEAST_BYTES_PER_SECOND, type Reading, refuseUncounted } from './reading.ts';

interface File {
  bytes: Buffer;
  boxesLeft: number;
  tracksLeft: number;
}

interface Box {
  kind: string;
  /** Where its content is. */
  from: number;
  to: number;
}

/** Far more than recordings have. */
const MOST_BOXES = 100_000;
/** Together with the descriptions of their packets. */
const MOST_TRACKS = 1_000;
/** The bytes of an audio sample entry before its own boxes. */
const ENTRY_HEAD = 28;
const MOST_AMR_FRAMES = 15;
/** How MP4 numbers AAC among its codecs. */
const AAC_CODECS: readonly number[] = [0x40, 0x66, 0x67, 0x68];
/** The length of a descriptor has seven bits a byte. */
const LENGTH_BYTES = 4;
/** Descriptors of `esds`: the stream, without fields that only some have, its decoder, and what the decoder needs. */
const DESCRIPTORS = [
  { tag: 3, fields: 3, isKnown: (bytes: Buffer, at: number) => ((bytes[at + 2] ?? 0) & 0xe0) === 0 },
  { tag: 4, fields: 13, isKnown: (bytes: Buffer, at: number) => AAC_CODECS.includes(bytes[at] ?? 0) },
  { tag: 5, fields: 0, isKnown: () => true },
] as const;

/**
 * Counts the packets of the longest audio track. Everything that decoders may use counts: any list of packets, any
 * description of them, and any track with an audio codec. Audio of an unknown codec is bounded by its bytes, and
 * truncated parts are ignored, so that neither hides another track.
 */
export function readMp4(bytes: Buffer): Reading {
  const file = { bytes, boxesLeft: MOST_BOXES, tracksLeft: MOST_TRACKS };
  const top = readBoxes(file, { from: 0, to: bytes.length });
  const movie = readInside(file, top, ['moov']);
  const stated = readStated(bytes, movie);
  const fragments = countInFragments(file, top);
  let counted = 0;
  let [isKnown, isExact] = [false, true];
  for (const track of movie.filter(({ kind }) => kind === 'trak')) {
    countTrack(file);
    const media = readInside(file, [track], ['trak', 'mdia']);
    const table = readInside(file, media, ['minf', 'stbl']);
    const packets = countPackets(bytes, table) + fragments;
    const isOther = media.some(({ kind }) => kind === 'hdlr') && !hasAudio(bytes, media);
    for (const packet of readPackets(file, table)) {
      if (packet) counted = Math.max(counted, packets * packet.seconds);
      else if (!isOther) counted = Math.max(counted, bytes.length / LEAST_BYTES_PER_SECOND);
      isKnown ||= packet !== undefined;
      isExact &&= packet?.isExact ?? isOther;
    }
  }
  if (!isKnown) return { stated };
  return isExact ? { counted } : { counted, stated };
}

function hasAudio(bytes: Buffer, media: readonly Box[]): boolean {
  return media.some(({ kind, from }) => kind === 'hdlr' && nameAt(bytes, from + 8) === 'soun');
}

function countPackets(bytes: Buffer, table: readonly Box[]): number {
  const sizes = table.filter(({ kind }) => kind === 'stsz' || kind === 'stz2');
  return sizes.reduce((most, { from }) => Math.max(most, readNumber(bytes, from + 8)), 0);
}

function readStated(bytes: Buffer, movie: readonly Box[]): number {
  const header = movie.find(({ kind }) => kind === 'mvhd');
  if (!header) return 0;
  const isLong = bytes[header.from] === 1;
  const scale = readNumber(bytes, header.from + (isLong ? 20 : 12));
  const at = header.from + (isLong ? 24 : 16);
  return (isLong ? readLong(bytes, at) : readNumber(bytes, at)) / scale;
}

/** Counts all tracks: few fragmented recordings have one besides the audio track. */
function countInFragments(file: File, top: readonly Box[]): number {
  const runs = readInside(file, top, ['moof', 'traf']).filter(({ kind }) => kind === 'trun');
  return runs.reduce((sum, { from }) => sum + readNumber(file.bytes, from + 4), 0);
}

/** How long a packet of a track is; at most, unless it is exact. */
interface Packet {
  seconds: number;
  isExact: boolean;
}

/** By each description of a track; absent where the codec is unknown. */
function readPackets(file: File, table: readonly Box[]): (Packet | undefined)[] {
  return table
    .filter(({ kind }) => kind === 'stsd')
    .flatMap(({ from, to }) => readBoxes(file, { from: from + 8, to }))
    .flatMap((entry) => readEntry(file, entry));
}

function countTrack(file: File): void {
  file.tracksLeft -= 1;
  if (file.tracksLeft < 0) refuseUncounted('tracks');
}

function readEntry(file: File, { kind, from, to }: Box): (Packet | undefined)[] {
  countTrack(file);
  if (kind === 'Opus') return [{ seconds: LONGEST_OPUS_SECONDS, isExact: false }];
  if (kind === 'samr' || kind === 'sawb') return [readAmrEntry(file.bytes.subarray(from + ENTRY_HEAD, to))];
  const own = kind === 'mp4a' ? 'esds' : kind === 'alac' ? 'alac' : undefined;
  if (own === undefined) return [undefined];
  const packets: (Packet | undefined)[] = [];
  // Searched for, because QuickTime has more fields in an entry.
  const entry = file.bytes.subarray(from + ENTRY_HEAD, to);
  for (let at = entry.indexOf(own); at !== -1; at = entry.indexOf(own, at + 4)) {
    countTrack(file);
    const seconds = own === 'alac' ? readAlac(entry, at + 8) : readAac(entry, at + 8);
    packets.push(seconds > 0 && Number.isFinite(seconds) ? { seconds, isExact: true } : undefined);
  }
  return packets.length > 0 ? packets : [undefined];
}

/** Reads how many frames of 20 ms a packet has; if it is not stated, 15, the most there can be. */
function readAmrEntry(entry: Buffer): Packet {
  const at = entry.indexOf('damr');
  const frames = at === -1 ? 0 : (entry[at + 12] ?? 0);
  return { seconds: (frames || MOST_AMR_FRAMES) * AMR_FRAME_SECONDS, isExact: true };
}

const readAlac = (bytes: Buffer, at: number): number => readNumber(bytes, at) / readNumber(bytes, at + 20);

/** 0 where it is no AAC that is known. */
function readAac(bytes: Buffer, from: number): number {
  let at = from;
  for (const { tag, fields, isKnown } of DESCRIPTORS) {
    if (bytes[at] !== tag) return 0;
    const end = at + LENGTH_BYTES;
    do at += 1;
    while (at < end && ((bytes[at] ?? 0) & 0x80) !== 0);
    if (!isKnown(bytes, at + 1)) return 0;
    at += 1 + fields;
  }
  return readAacConfig(bytes, at);
}

/** The boxes in the boxes on a path. */
function readInside(file: File, boxes: readonly Box[], [kind, ...path]: readonly string[]): Box[] {
  if (kind === undefined) return [...boxes];
  const inside = boxes.filter((box) => box.kind === kind).flatMap((box) => readBoxes(file, box));
  return readInside(file, inside, path);
}

function readBoxes(file: File, { from, to }: { from: number; to: number }): Box[] {
  const { bytes } = file;
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to;) {
    const size = readNumber(bytes, at);
    const isLong = size === 1;
    const length = isLong ? readLong(bytes, at + 8) : size === 0 ? to - at : size;
    const head = isLong ? 16 : 8;
    if (length < head) break;
    file.boxesLeft -= 1;
    if (file.boxesLeft < 0) return refuseUncounted('boxes');
    boxes.push({ kind: nameAt(bytes, at + 4), from: at + head, to: Math.min(to, at + length) });
    at += length;
  }
  return boxes;
}

const nameAt = (bytes: Buffer, at: number): string => bytes.toString('latin1', at, at + 4);

/** 0 where the file ends before. */
const readNumber = (bytes: Buffer, at: number): number =>
  at + 4 <= bytes.length ? bytes.readUInt32BE(at) : 0;

const readLong = (bytes: Buffer, at: number): number =>
  readNumber(bytes, at) * 2 ** 32 + readNumber(bytes, at + 4);
