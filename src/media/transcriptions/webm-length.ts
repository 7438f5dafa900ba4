import { refuse } from '#wire';
import {
  type EbmlFile,
  type Element,
  countNumberBytes,
  findElements,
  listInside,
  openEbml,
  readNumber,
  readVariable,
} from './ebml.ts';
import { readFlac } from './flac-length.ts';
import type { Reading } from './reading.ts';
import { type Packets, type AudioKind, UNKNOWN_AUDIO, readAudioKinds } from './webm-audio.ts';

/** Elements that hold the packets and their time. */
const ID = {
  information: 0x1549a966,
  timestampScale: 0x2ad7b1,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
} as const;
const USUAL_SCALE_NS = 1_000_000;
const DAY_SECONDS = 86_400;

/** The blocks of a track so far. */
interface Track {
  seconds: number;
  /** When its earliest and its latest block begin, in units of the file. */
  first: number;
  last: number;
}

/** A block: its track, when it begins after its cluster, and its packets. */
interface Block extends Packets {
  number: number;
  offset: number;
}

/**
 * Counts the packets of the longest track of WebM or Matroska. Where silence was left out, decoders may fill it in: the time between
 * the first block and the last counts if it is longer. Audio of an unknown codec counts by its bytes.
 */
export function readWebm(bytes: Buffer): Reading {
  const file = openEbml(bytes);
  const kinds = readAudioKinds(file);
  const unit = readScale(file) / 1e9;
  const reading = { counted: countFlac(bytes, kinds), stated: 0 };
  let isExact = true;
  for (const [number, { seconds, first, last }] of readBlocks(file, kinds)) {
    const time = (last - first) * unit;
    if (time > DAY_SECONDS) refuse('file', 'has blocks more than a day apart');
    reading.counted = Math.max(reading.counted, seconds, time);
    reading.stated = Math.max(reading.stated, time);
    isExact &&= kinds.get(number)?.every((kind) => kind.isExact) ?? false;
  }
  return isExact ? { counted: reading.counted } : reading;
}

/** A unit of time in nanoseconds; the longest that is named. */
function readScale(file: EbmlFile): number {
  let scale = 0;
  for (const at of findElements(file, ID.information))
    for (const element of listInside(file, at, []))
      if (element.id === ID.timestampScale) scale = Math.max(scale, readNumber(file.bytes, element));
  return scale || USUAL_SCALE_NS;
}

function countFlac(bytes: Buffer, kinds: ReadonlyMap<number, AudioKind[]>): number {
  const rates = [...kinds.values()].flat().flatMap(({ flacRate }) => flacRate ?? []);
  return rates.length === 0 ? 0 : readFlac(bytes, Math.min(...rates)).counted;
}

function readBlocks(file: EbmlFile, kinds: ReadonlyMap<number, AudioKind[]>): Map<number, Track> {
  const tracks = new Map<number, Track>();
  for (const at of findElements(file, ID.cluster)) {
    let begin = 0;
    for (const element of listInside(file, at, [ID.blockGroup])) {
      if (element.id === ID.timestamp) begin = readNumber(file.bytes, element);
      if (element.id !== ID.simpleBlock && element.id !== ID.block) continue;
      const block = readBlock(file.bytes, element);
      if (!block) continue;
      const own = kinds.get(block.number) ?? [UNKNOWN_AUDIO];
      if (!own.every(({ isSilent }) => isSilent)) addBlock(tracks, block, { begin, kinds: own });
    }
  }
  return tracks;
}

/** Absent where it is truncated. */
function readBlock(bytes: Buffer, { from, to }: Element): Block | undefined {
  const at = from + countNumberBytes(bytes, from);
  if (at + 3 > to) return undefined;
  const isLaced = ((bytes[at + 2] ?? 0) & 0x06) !== 0;
  return {
    number: readVariable(bytes, from),
    offset: bytes.readInt16BE(at),
    count: isLaced ? (bytes[at + 3] ?? 0) + 1 : 1,
    from: at + 3,
    to,
  };
}

function addBlock(
  tracks: Map<number, Track>,
  block: Block,
  { begin, kinds }: { begin: number; kinds: readonly AudioKind[] },
): void {
  const time = begin + block.offset;
  const track = tracks.get(block.number) ?? { seconds: 0, first: time, last: time };
  track.seconds += kinds.reduce((most, kind) => Math.max(most, kind.measure(block)), 0);
  track.first = Math.min(track.first, time);
  track.last = Math.max(track.last, time);
  tracks.set(block.number, track);
}
