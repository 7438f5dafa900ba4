import { type Reading, refuseUncounted } from './reading.ts';

interface File {
  bytes: Buffer;
  boxesLeft: number;
}

interface Box {
  kind: string;
  /** Where its content is. */
  from: number;
  to: number;
}

/** Far more than recordings have. */
const MOST_BOXES = 100_000;
/** What a sample entry of sound has before its own boxes. */
const ENTRY_HEAD = 28;
const LONGEST_OPUS_SECONDS = 0.12;
/** The kinds of AAC with 1,024 samples in a packet. */
const AAC_KINDS: readonly number[] = [1, 2, 3, 4, 5, 29];
const AAC_SAMPLES = 1_024;
const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
] as const;
/** Descriptors of `esds`: the stream, its decoder, and what the decoder needs. */
const DESCRIPTORS = [
  { tag: 3, fields: 3 },
  { tag: 4, fields: 13 },
  { tag: 5, fields: 0 },
] as const;

/** Counts the packets of the longest track of sound, where its codec is known. */
export function readMp4(bytes: Buffer): Reading {
  const file = { bytes, boxesLeft: MOST_BOXES };
  const top = readBoxes(file, { from: 0, to: bytes.length });
  const movie = readInside(file, top, ['moov']);
  const stated = readStated(bytes, movie);
  const fragments = countInFragments(file, top);
  let counted = 0;
  let isExact = true;
  for (const track of movie.filter(({ kind }) => kind === 'trak')) {
    const media = readInside(file, [track], ['trak', 'mdia']);
    const handler = media.find(({ kind }) => kind === 'hdlr');
    if (!handler || nameAt(bytes, handler.from + 8) !== 'soun') continue;
    const table = readInside(file, media, ['minf', 'stbl']);
    const entries = table.find(({ kind }) => kind === 'stsd');
    const packet = entries && readPacket(file, entries);
    if (!packet) return { stated };
    const sizes = table.find(({ kind }) => kind === 'stsz' || kind === 'stz2');
    const packets = sizes ? bytes.readUInt32BE(sizes.from + 8) : 0;
    counted = Math.max(counted, (packets + fragments) * packet.seconds);
    isExact &&= packet.isExact;
  }
  return isExact && counted > 0 ? { counted } : { counted, stated };
}

function readStated(bytes: Buffer, movie: readonly Box[]): number {
  const header = movie.find(({ kind }) => kind === 'mvhd');
  if (!header) return 0;
  const isLong = bytes[header.from] === 1;
  const scale = bytes.readUInt32BE(header.from + (isLong ? 20 : 12));
  const at = header.from + (isLong ? 24 : 16);
  return (isLong ? Number(bytes.readBigUInt64BE(at)) : bytes.readUInt32BE(at)) / scale;
}

/** Of all tracks: few recordings in fragments have another than that of sound. */
function countInFragments(file: File, top: readonly Box[]): number {
  const runs = readInside(file, top, ['moof', 'traf']).filter(({ kind }) => kind === 'trun');
  return runs.reduce((sum, { from }) => sum + file.bytes.readUInt32BE(from + 4), 0);
}

/** How long a packet of a track is; at most, unless it is exact. */
function readPacket(file: File, entries: Box): { seconds: number; isExact: boolean } | undefined {
  const { bytes } = file;
  const [entry] = readBoxes(file, { from: entries.from + 8, to: entries.to });
  if (entry?.kind === 'Opus') return { seconds: LONGEST_OPUS_SECONDS, isExact: false };
  const own = entry?.kind === 'mp4a' ? 'esds' : entry?.kind === 'alac' ? 'alac' : undefined;
  if (!entry || own === undefined) return undefined;
  // Searched for, because QuickTime has more fields in an entry.
  const place = bytes.subarray(entry.from + ENTRY_HEAD, entry.to).indexOf(own);
  if (place === -1) return undefined;
  const from = entry.from + ENTRY_HEAD + place + 8;
  if (own === 'alac')
    return { seconds: bytes.readUInt32BE(from) / bytes.readUInt32BE(from + 20), isExact: true };
  const rate = readAacRate(bytes, from);
  return rate ? { seconds: AAC_SAMPLES / rate, isExact: true } : undefined;
}

function readAacRate(bytes: Buffer, from: number): number | undefined {
  let at = from;
  for (const { tag, fields } of DESCRIPTORS) {
    if (bytes[at] !== tag) return undefined;
    at += 1;
    while (((bytes[at] ?? 0) & 0x80) !== 0) at += 1; // its length, seven bits a byte
    at += 1 + fields;
  }
  const bits = bytes.readUIntBE(at, 5);
  const code = Math.floor(bits / 2 ** 31) & 0x0f;
  if (!AAC_KINDS.includes(Math.floor(bits / 2 ** 35))) return undefined;
  return code === 15 ? Math.floor(bits / 2 ** 7) & 0xffffff : AAC_RATES[code];
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
    const size = bytes.readUInt32BE(at);
    const isLong = size === 1;
    const length = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : size === 0 ? to - at : size;
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
