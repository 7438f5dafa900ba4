import type { Mapping, UnitCount } from '#catalogue';
import type { Quantity } from '../contract.ts';
import type { AudioLength } from './audio-length.ts';
import { estimateTokens } from '#canonical';
import { createQuantity } from '../quantity.ts';

const FRAME_TOKENS = 64;
const MOST_AUDIO_TOKENS_PER_SECOND = 40;
const USUAL_AUDIO_TOKENS_PER_SECOND = 10;
/** Faster than any speech. */
const MOST_TEXT_TOKENS_PER_SECOND = 12;
const DEFAULT_MAX_OUTPUT = 16_000;

export function boundTranscription({ mostMs }: AudioLength, promptBytes: number, mapping: Mapping): Quantity {
  const { maxOutput = DEFAULT_MAX_OUTPUT } = mapping;
  const seconds = Math.ceil(mostMs / 1_000);
  return createQuantity(
    {
      inputUncached: promptBytes + FRAME_TOKENS,
      inputAudio: seconds * MOST_AUDIO_TOKENS_PER_SECOND,
      outputText: Math.min(seconds * MOST_TEXT_TOKENS_PER_SECOND + FRAME_TOKENS, maxOutput),
    },
    [countAudio(mostMs, mapping)],
  );
}

/** Bounds hours or tokens, depending on the mapping's price. */
export function estimateTranscription(
  { likelyMs }: AudioLength,
  answerBytes: number,
  mapping: Mapping,
): Quantity {
  if ((mapping.price?.units?.inputAudioHour ?? 0n) > 0n)
    return createQuantity({}, [countAudio(likelyMs, mapping)]);
  const inputAudio = Math.ceil((likelyMs / 1_000) * USUAL_AUDIO_TOKENS_PER_SECOND);
  return createQuantity({ inputAudio, outputText: estimateTokens(answerBytes) });
}

/** The length that a mapping charges for. */
export function countAudio(ms: number, { leastAudioSeconds = 0 }: Mapping): UnitCount {
  return { unit: 'input-audio-ms', count: Math.max(ms, leastAudioSeconds * 1_000) };
}
