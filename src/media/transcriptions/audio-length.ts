/** No usable recording of speech has a lower bit rate: 8 kbit/s. */
const LEAST_BYTES_PER_SECOND = 1_000;
/** The usual bit rate of compressed speech: 64 kbit/s. */
const USUAL_BYTES_PER_SECOND = 8_000;

/** The length of a recording in milliseconds: its maximum and an estimate. */
export interface AudioLength {
  mostMs: number;
  likelyMs: number;
}

/** Reads the length from the headers of WAV, FLAC, Ogg, MP3 and MP4 files; others are bounded by their size. */
export function measureAudio(bytes: Buffer): AudioLength {
  const seconds = findSeconds(bytes);
  if (seconds !== undefined && Number.isFinite(seconds) && seconds > 0) {
    const ms = Math.ceil(seconds * 1_000);
    return { mostMs: ms + 1_000, likelyMs: ms };
  }
  return {
    mostMs: Math.ceil((bytes.length / LEAST_BYTES_PER_SECOND) * 1_000),
    likelyMs: Math.ceil((bytes.length / USUAL_BYTES_PER_SECOND) * 1_000),
  };
}

function findSeconds(bytes: Buffer): number | undefined {
  const mark = bytes.toString('latin1', 0, 4);
  try {
    if (mark === 'RIFF') return readWav(bytes);
    if (mark === 'fLaC') return readFlac(bytes);
    if (mark === 'OggS') return readOgg(bytes);
    if (bytes.toString('latin1', 4, 8) === 'ftyp') return readMp4(bytes);
    if (mark.startsWith('ID3') || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0))
      return readMp3(bytes);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown; // a truncated header
  }
  return undefined;
}

/** Everything after the format chunk counts as samples: the header's sample count is not trusted. */
function readWav(bytes: Buffer): number | undefined {
  const at = bytes.indexOf('fmt ');
  if (at === -1) return undefined;
  const bytesPerSecond = bytes.readUInt32LE(at + 16);
  return (bytes.length - at) / bytesPerSecond;
}

function readFlac(bytes: Buffer): number {
  const rate = bytes.readUIntBE(18, 3) >> 4;
  const samples = ((bytes[21] ?? 0) & 0x0f) * 2 ** 32 + bytes.readUInt32BE(22);
  return samples / rate;
}

/** The last page holds the number of samples; Opus counts at 48 kHz whatever the recording's rate. */
function readOgg(bytes: Buffer): number | undefined {
  const last = bytes.lastIndexOf('OggS');
  const samples = Number(bytes.readBigUInt64LE(last + 6));
  const vorbis = bytes.indexOf('\u0001vorbis');
  if (vorbis !== -1 && vorbis < 200) return samples / bytes.readUInt32LE(vorbis + 12);
  return bytes.subarray(0, 200).includes('OpusHead') ? samples / 48_000 : undefined;
}

function readMp4(bytes: Buffer): number | undefined {
  const at = bytes.indexOf('mvhd');
  if (at === -1) return undefined;
  const isLong = bytes[at + 4] === 1;
  const scale = bytes.readUInt32BE(at + (isLong ? 24 : 16));
  const units = isLong ? Number(bytes.readBigUInt64BE(at + 28)) : bytes.readUInt32BE(at + 20);
  return units / scale;
}

const MP3_KBITS = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;
const MP3_RATES = [44_100, 48_000, 32_000] as const;

/** How often a frame is searched for after invalid bytes; beyond that the length is unknown. */
const MOST_SEARCHES = 20_000;

/** Frame by frame, to support variable bit rates; skips tags and stray bytes as players do. */
function readMp3(bytes: Buffer): number | undefined {
  let seconds = 0;
  let searches = 0;
  for (let at = 0; at !== -1 && at < bytes.length;) {
    const frame = readMp3Frame(bytes, at);
    if (frame) {
      seconds += frame.seconds;
      at += frame.length;
    } else if (bytes.toString('latin1', at, at + 3) === 'ID3') {
      at += 10 + readSyncSafe(bytes, at + 6);
    } else {
      searches += 1;
      if (searches > MOST_SEARCHES) return undefined;
      at = bytes.indexOf(0xff, at + 1);
    }
  }
  return seconds > 0 ? seconds : undefined;
}

function readSyncSafe(bytes: Buffer, at: number): number {
  return [0, 1, 2, 3].reduce((sum, place) => sum * 128 + ((bytes[at + place] ?? 0) & 0x7f), 0);
}

function readMp3Frame(bytes: Buffer, at: number): { seconds: number; length: number } | undefined {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
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
