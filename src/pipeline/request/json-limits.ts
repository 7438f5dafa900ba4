import { type JsonLimits, type JsonSize, JsonMeter } from '#base';

export const MAX_DEPTH = 128;

/**
 * The limits of a body or an answer. Parsing, decoding and encoding take time with each value; a longer text only with
 * its bytes. 80,000 messages of one text each fit, or 20,000 of three parts.
 */
export const BODY_LIMITS: JsonLimits = { depth: MAX_DEPTH, values: 400_000, names: 20_000 };

/** Inner JSON, such as the arguments of tool calls, is parsed and printed once more on its way. */
export const INNER_LIMITS: JsonLimits = { ...BODY_LIMITS, values: 200_000 };

/** Larger bodies are processed in steps. */
const HEAVY: { bytes: number; values: number } = { bytes: 2 * 1024 * 1024, values: 50_000 };

const OPENERS = [0x7b, 0x5b];

/**
 * Whether a text surely exceeds no limit and is not heavy: each of its values takes a byte at least, and it opens no more
 * arrays and objects than may nest. Counting these takes a quarter of the time of measuring.
 */
export function isSurelyLight(bytes: Buffer): boolean {
  if (bytes.length >= HEAVY.values) return false;
  let openers = 0;
  for (const opener of OPENERS)
    for (let at = bytes.indexOf(opener); at !== -1; at = bytes.indexOf(opener, at + 1)) {
      openers += 1;
      if (openers > MAX_DEPTH) return false;
    }
  return true;
}

export function isHeavy(bytes: number, values = 0): boolean {
  return bytes > HEAVY.bytes || values > HEAVY.values;
}

/** What exceeds the limits, to follow “has”; absent if nothing does. */
export function describeExcess({ values, names }: JsonSize, limits: JsonLimits): string | undefined {
  if (values > limits.values) return `more than ${format(limits.values)} JSON values, a text counted as two`;
  if (names > limits.names) return `too many different member names (more than ${format(limits.names)})`;
  return undefined;
}

/** Answers of media hold vectors: 2,048 of 3,072 numbers each fit. */
export const MEDIA_LIMITS: JsonLimits = { ...BODY_LIMITS, values: 8_000_000 };

/** The length of text that is measured per slice. */
const MEASURED_AT_ONCE = 256 * 1024;

export function measureAtOnce(bytes: Buffer, limits: JsonLimits): JsonSize {
  const meter = new JsonMeter(bytes, limits);
  meter.advance(bytes.length);
  return meter.size;
}

/** Measures a text in slices. */
export function* measure(bytes: Buffer, limits: JsonLimits): Generator<undefined, JsonSize> {
  const meter = new JsonMeter(bytes, limits);
  while (meter.advance(MEASURED_AT_ONCE)) yield;
  return meter.size;
}

/** What exceeds the limits of answers, to follow “an answer that”. */
export function* findAnswerExcess(
  bytes: Buffer,
  limits: JsonLimits,
): Generator<undefined, string | undefined> {
  if (isSurelyLight(bytes)) return undefined;
  const size = yield* measure(bytes, limits);
  if (size.depth > MAX_DEPTH) return `nests more than ${MAX_DEPTH} deep`;
  const excess = describeExcess(size, limits);
  return excess && `has ${excess}`;
}

function format(count: number): string {
  return count.toLocaleString('en');
}
