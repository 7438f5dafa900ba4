import type { Mapping, UnitCount } from '#catalogue';
import type { Estimate, Quantity } from '../contract.ts';
import type { SpeechRequest } from './request.ts';
import { createQuantity, estimateTokens } from '../quantity.ts';

const FRAME_TOKENS = 64;
/** The slowest speech that is worth listening to: two characters in a second of about 25 tokens. */
const MOST_TOKENS_PER_CHARACTER = 12;
/** Fifteen characters in a second of about 21 tokens. */
const USUAL_TOKENS_PER_CHARACTER = 1.4;

export function boundSpeech(request: SpeechRequest, { maxOutput = Infinity }: Mapping): Quantity {
  const { input, instructions = '' } = request;
  const audio = MOST_TOKENS_PER_CHARACTER * input.length + FRAME_TOKENS;
  return createQuantity(
    {
      inputUncached: Buffer.byteLength(input) + Buffer.byteLength(instructions) + FRAME_TOKENS,
      outputAudio: Math.min(audio, maxOutput),
    },
    countCharacters(request),
  );
}

/** Characters are counted, tokens guessed: nobody tells them beside the audio itself. */
export function estimateSpeech(request: SpeechRequest, { price }: Mapping): Estimate {
  const { input, instructions = '' } = request;
  if ((price?.units?.perCharacter ?? 0n) > 0n)
    return { ...createQuantity({}, countCharacters(request)), isExact: true };
  return createQuantity({
    inputUncached: estimateTokens(Buffer.byteLength(input) + Buffer.byteLength(instructions)),
    outputAudio: Math.ceil(input.length * USUAL_TOKENS_PER_CHARACTER),
  });
}

function countCharacters({ input }: SpeechRequest): UnitCount[] {
  return [{ unit: 'character', count: Array.from(input).length }];
}
