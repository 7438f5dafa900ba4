import { readAmr } from './amr-length.ts';
import { readFlac } from './flac-length.ts';
import { readMp4 } from './mp4-length.ts';
import { readOgg } from './ogg-length.ts';
import { readAdtsFrame } from './packets.ts';
import { readWebm } from './webm-length.ts';
import { LEAST_BYTES_PER_SECOND, type Reading, refuseUncounted } from './reading.ts';

/** The usual bit rate of compressed speech: 64 kbit/s. */
const USUAL_BYTES_PER_SECOND = 8_000;
/** Hardly any compressed speech has a higher bit rate: 512 kbit/s. */
const MOST_BYTES_PER_SECOND = 64_000;
/** Packets that may be of several lengths have more than an eighth of the longest: 20 of 120 ms in Opus. */
const LEAST_SHARE = 1 / 8;

/** The length of a recording in milliseconds: its maximum and an estimate. */
export interface AudioLength {
  mostMs: number;
  likelyMs: number;
}

/** Counts the frames of WAV, FLAC, Ogg, MP3, AAC, AMR, WebM and MP4 files; others are bounded by their size. */
export function measureAudio(bytes: Buffer): AudioLength {
  const { counted = 0, stated = 0 } = readLength(bytes);
  if (Number.isFinite(counted) && counted > 0) {
    const isStated = stated > counted * LEAST_SHARE && stated < counted;
    return {
      mostMs: Math.ceil(counted * 1_000) + 1_000,
      likelyMs: Math.ceil((isStated ? stated : counted) * 1_000),
    };
  }
  const most = bytes.length / LEAST_BYTES_PER_SECOND;
  const isStated = stated > bytes.length / MOST_BYTES_PER_SECOND && stated < most;
  const likely = isStated ? stated : bytes.length / USUAL_BYTES_PER_SECOND;
  return { mostMs: Math.ceil(most * 1_000), likelyMs: Math.ceil(likely * 1_000) };
}

/** Boxes that files may begin with. */
const MP4_BEGINNINGS: readonly string[] = 'ftyp styp moov moof mdat free skip wide pnot uuid'.split(' ');

function readLength(bytes: Buffer): Reading {
  const mark = bytes.toString('latin1', 0, 4);
  try {
    if (mark === 'RIFF') return readWav(bytes);
    if (mark === 'fLaC') return readFlac(bytes);
    if (mark === 'OggS') return readOgg(bytes);
    if (mark === '\u001aE\u00df\u00a3') return readWebm(bytes);
    if (mark === '#!AM') return readAmr(bytes);
    if (MP4_BEGINNINGS.includes(bytes.toString('latin1', 4, 8))) return readMp4(bytes);
    if (mark.startsWith('ID3') || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0))
      return readMp3(bytes);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown; // a truncated header
  }
  return {};
}

/** Formats of samples that all have the same size: PCM, floats, A-law, µ-law, and any of these in the extensible form. */
const SAMPLE_FORMATS: readonly number[] = [1, 3, 6, 7, 0xfffe];

/**
 * Everything after the format chunk counts as samples: their number in the header is not trusted, nor is its rate of bytes,
 * which decoders do not use.
 */
function readWav(bytes: Buffer): Reading {
  const at = findFormatChunk(bytes);
  if (at === undefined) return {};
  if (!SAMPLE_FORMATS.includes(bytes.readUInt16LE(at + 8))) return boundCompressedWav(bytes, at);
  const [channels, rate, bits] = [
    bytes.readUInt16LE(at + 10),
    bytes.readUInt32LE(at + 12),
    bytes.readUInt16LE(at + 22),
  ];
  return { counted: (bytes.length - at) / (rate * channels * (bits / 8)) };
}

/** Compressed samples have a bit or more each; at the usual rates they are longer by their bytes. */
function boundCompressedWav(bytes: Buffer, at: number): Reading {
  const seconds = ((bytes.length - at) * 8) / bytes.readUInt32LE(at + 12);
  return seconds > bytes.length / LEAST_BYTES_PER_SECOND ? { counted: seconds } : {};
}

function findFormatChunk(bytes: Buffer): number | undefined {
  for (let at = 12, skips = 0; at + 8 <= bytes.length && skips < MOST_SKIPS; skips += 1) {
    if (bytes.toString('latin1', at, at + 4) === 'fmt ') return at;
    const length = bytes.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  return undefined;
}

const MP3_KBITS = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const MP3_RATES = [44_100, 48_000, 32_000] as const;

/** How often a tag is skipped or a frame searched for after invalid bytes; beyond that the length is unknown. */
const MOST_SKIPS = 20_000;
/** 7 hours of frames of 26 ms. */
const MOST_FRAMES = 1_000_000;

/**
 * MP3, or AAC without a container. Frame by frame, to support variable bit rates; skips the tags at the beginning and stray
 * bytes as decoders do, for which the frames in a later tag are frames.
 */
function readMp3(bytes: Buffer): Reading {
  let seconds = 0;
  let [skips, frames, start] = [0, 0, 0];
  for (let at = 0; at !== -1 && at < bytes.length;) {
    const frame = readMp3Frame(bytes, at) ?? readAdtsFrame(bytes, at);
    if (frame) {
      frames += 1;
      if (frames > MOST_FRAMES) return refuseUncounted('frames');
      seconds += frame.seconds;
      at += frame.length;
    } else {
      skips += 1;
      if (skips > MOST_SKIPS) return {};
      const isTag = at === start && bytes.toString('latin1', at, at + 3) === 'ID3';
      if (isTag) start += 10 + readSyncSafe(bytes, at + 6);
      at = isTag ? start : bytes.indexOf(0xff, at + 1);
    }
  }
  return { counted: seconds };
}

function readSyncSafe(bytes: Buffer, at: number): number {
  return [0, 1, 2, 3].reduce((sum, place) => sum * 128 + ((bytes[at + place] ?? 0) & 0x7f), 0);
}

function readMp3Frame(bytes: Buffer, at: number): { seconds: number; length: number } | undefined {
  // No view of the bytes: a file may have a million frames.
  const [first = 0, second = 0, third = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
  if (first !== 0xff || (second & 0xe6) !== 0xe2) return undefined; // layer III only
  const version = (second >> 3) & 3; // 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5
  const kbits = MP3_KBITS[version === 3 ? 1 : 2][third >> 4];
  const base = MP3_RATES[(third >> 2) & 3];
  if (!kbits || base === undefined || version === 1) return undefined;
  const rate = version === 3 ? base : version === 2 ? base / 2 : base / 4;
  const samples = version === 3 ? 1_152 : 576;
  const length = Math.floor(((samples / 8) * kbits * 1_000) / rate) + ((third >> 1) & 1);
  return { seconds: samples / rate, length };
}
