import { refuse } from '#wire';
import { type EbmlFile, type Element, findElements, listInside, readFloat, readNumber } from './ebml.ts';
import { readUsualRate } from './flac-length.ts';
import {
  LONGEST_AAC_SECONDS,
  LONGEST_OPUS_SECONDS,
  measureOpus,
  readAacConfig,
  readVorbisHeader,
} from './packets.ts';
import { LEAST_BYTES_PER_SECOND } from './reading.ts';

/** Elements that describe tracks. */
const ID = {
  tracks: 0x1654ae6b,
  track: 0xae,
  number: 0xd7,
  codec: 0x86,
  head: 0x63a2,
  encodings: 0x6d80,
  audio: 0xe1,
  rate: 0xb5,
  channels: 0x9f,
  bits: 0x6264,
} as const;
const LONGEST_NAME = 32;

/** The packets of a block: how many, and where they are. */
export interface Packets {
  count: number;
  from: number;
  to: number;
}

/** A track, as it is described. */
export interface AudioKind {
  /** The seconds of the packets of a block; at most, unless it is exact. */
  measure(packets: Packets): number;
  isExact: boolean;
  /** Pictures or text. */
  isSilent?: true;
  /** For FLAC: how many samples a second has. Its frames are counted in the whole file. */
  flacRate?: number;
}

type Members = ReadonlyMap<number, Element>;

/** By the number of their track; of several descriptions with one number, decoders may use any. */
export function readAudioKinds(file: EbmlFile): Map<number, AudioKind[]> {
  const kinds = new Map<number, AudioKind[]>();
  for (const at of findElements(file, ID.tracks)) {
    for (const members of listTracks(file, at)) {
      const number = readNumber(file.bytes, members.get(ID.number));
      const kind = describe(file.bytes, members);
      kinds.set(number, [...(kinds.get(number) ?? []), kind]);
    }
  }
  return kinds;
}

function* listTracks(file: EbmlFile, at: number): Iterable<Members> {
  let members = new Map<number, Element>();
  for (const element of listInside(file, at, [ID.track, ID.audio])) {
    if (element.id !== ID.track) members.set(element.id, element);
    else {
      yield members;
      members = new Map();
    }
  }
  yield members;
}

/** Audio whose length is only bounded by its bytes. */
export const UNKNOWN_AUDIO: AudioKind = {
  measure: ({ from, to }) => (to - from) / LEAST_BYTES_PER_SECOND,
  isExact: false,
};
const SILENT: AudioKind = { measure: () => 0, isExact: true, isSilent: true };
const SILENT_NAME = /^[VSB]_/;

function describe(bytes: Buffer, members: Members): AudioKind {
  const { from, to } = members.get(ID.codec) ?? { from: 0, to: 0 };
  const name = bytes.toString('latin1', from, Math.min(to, from + LONGEST_NAME));
  const [, describeOwn] = CODECS.find(([prefix]) => name.startsWith(prefix)) ?? [];
  if (describeOwn && members.has(ID.encodings))
    return refuse('file', 'has packets with a second compression, so that its length cannot be counted');
  return describeOwn?.(bytes, members) ?? (SILENT_NAME.test(name) ? SILENT : UNKNOWN_AUDIO);
}

type Describe = (bytes: Buffer, members: Members) => AudioKind | undefined;

const CODECS: readonly [prefix: string, describe: Describe][] = [
  ['A_OPUS', describeOpus],
  ['A_VORBIS', describeVorbis],
  ['A_AAC', describeAac],
  ['A_FLAC', describeFlac],
  ['A_PCM', describePcm],
];

function describeOpus(bytes: Buffer): AudioKind {
  return {
    measure: ({ count, from }) => (count === 1 ? measureOpus(bytes, from) : count * LONGEST_OPUS_SECONDS),
    isExact: true,
  };
}

function describeVorbis(bytes: Buffer, members: Members): AudioKind | undefined {
  const { from, to } = members.get(ID.head) ?? { from: 0, to: 0 };
  const at = bytes.subarray(from, to).indexOf('\u0001vorbis');
  if (at === -1) return undefined;
  const { longSeconds } = readVorbisHeader(bytes, from + at);
  return { measure: ({ count }) => count * longSeconds, isExact: false };
}

function describeAac(bytes: Buffer, members: Members): AudioKind {
  const head = members.get(ID.head);
  const seconds = head ? readAacConfig(bytes, head.from) : 0;
  return { measure: ({ count }) => count * (seconds || LONGEST_AAC_SECONDS), isExact: seconds > 0 };
}

function describeFlac(bytes: Buffer, members: Members): AudioKind {
  const head = members.get(ID.head);
  return { measure: () => 0, isExact: true, flacRate: head ? readUsualRate(bytes, head.from) : 0 };
}

function describePcm(bytes: Buffer, members: Members): AudioKind {
  const channels = readNumber(bytes, members.get(ID.channels)) || 1;
  const bits = readNumber(bytes, members.get(ID.bits)) || 8;
  const rate = readFloat(bytes, members.get(ID.rate)) || 8_000;
  return { measure: ({ from, to }) => ((to - from) * 8) / (bits * channels * rate), isExact: true };
}
