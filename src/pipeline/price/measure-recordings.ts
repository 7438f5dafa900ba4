import { GatewayError } from '#errors';
import { measureAudio } from '#media';

/** Google counts 32 tokens for a second, Qwen 25, OpenAI 10. */
const MOST_TOKENS_PER_SECOND = 40;
const USUAL_TOKENS_PER_SECOND = 32;

/** The recordings in the body of a prompt. */
interface Recordings {
  /** Characters of the body. */
  bytes: number;
  /** In tokens: at most, and an estimate. */
  most: number;
  likely: number;
  /** Those whose length cannot be counted. */
  uncounted: string[];
}

/** How many tokens recordings have by their length: a second of silence takes a few bytes. */
export function measureRecordings(recordings: readonly string[]): Recordings {
  const measured: Recordings = { bytes: 0, most: 0, likely: 0, uncounted: [] };
  for (const base64 of recordings) {
    measured.bytes += base64.length;
    const length = tryToMeasure(base64);
    if (!length) measured.uncounted.push(base64);
    measured.most += toTokens(length?.mostMs ?? 0, MOST_TOKENS_PER_SECOND);
    measured.likely += toTokens(length?.likelyMs ?? 0, USUAL_TOKENS_PER_SECOND);
  }
  return measured;
}

function tryToMeasure(base64: string): ReturnType<typeof measureAudio> | undefined {
  try {
    return measureAudio(Buffer.from(base64, 'base64'));
  } catch (thrown) {
    if (thrown instanceof GatewayError) return undefined;
    throw thrown;
  }
}

function toTokens(ms: number, perSecond: number): number {
  return Math.ceil((ms / 1_000) * perSecond);
}
