/** The duration of one frame of Opus, by the first five bits of its packet. */
const OPUS_FRAME_MS = [
  10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 40, 60, 10, 20, 10, 20, 2.5, 5, 10, 20, 2.5, 5, 10, 20, 2.5, 5, 10,
  20, 2.5, 5, 10, 20,
] as const;
export const LONGEST_OPUS_SECONDS = 0.12;

/** The kinds of AAC with 1,024 samples in a packet. */
const AAC_KINDS: readonly number[] = [1, 2, 3, 4, 5, 29];
const AAC_SAMPLES = 1_024;
const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
] as const;
/** The longest packet of any kind, at the lowest rate. */
export const LONGEST_AAC_SECONDS = 2_048 / 7_350;

/** The seconds of a packet of Opus. */
export function measureOpus(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  const code = first & 3;
  const frames = code === 3 ? (bytes[at + 1] ?? 0) & 0x3f : code === 0 ? 1 : 2;
  return Math.min((frames * (OPUS_FRAME_MS[first >> 3] ?? 0)) / 1_000, LONGEST_OPUS_SECONDS);
}

/** The rate of a stream of Vorbis, and the seconds of its long packets, by its first header; few packets are shorter. */
export function readVorbisHeader(bytes: Buffer, at: number): { rate: number; longSeconds: number } {
  const rate = bytes.readUInt32LE(at + 12);
  return { rate, longSeconds: 2 ** ((bytes[at + 28] ?? 0) >> 4) / 2 / rate };
}

/** The seconds of an AAC packet according to its decoder configuration; 0 for an unknown kind. */
export function readAacConfig(bytes: Buffer, at: number): number {
  if (at + 2 > bytes.length) return 0;
  const bits = [0, 1, 2, 3, 4].reduce((sum, place) => sum * 256 + (bytes[at + place] ?? 0), 0);
  const code = Math.floor(bits / 2 ** 31) & 0x0f;
  if (!AAC_KINDS.includes(Math.floor(bits / 2 ** 35))) return 0;
  const rate = code === 15 ? Math.floor(bits / 2 ** 7) & 0xffffff : (AAC_RATES[code] ?? 0);
  return rate > 0 ? AAC_SAMPLES / rate : 0;
}

/** An AAC frame with its own header (ADTS); absent if there is none at this place. */
export function readAdtsFrame(bytes: Buffer, at: number): { seconds: number; length: number } | undefined {
  if (bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xf6) !== 0xf0 || at + 7 > bytes.length) return undefined;
  const rate = AAC_RATES[((bytes[at + 2] ?? 0) >> 2) & 0x0f];
  const length = (bytes.readUIntBE(at + 3, 3) >> 5) & 0x1fff;
  if (rate === undefined || length < 7) return undefined;
  return { seconds: ((((bytes[at + 6] ?? 0) & 3) + 1) * AAC_SAMPLES) / rate, length };
}
