import type { Mapping } from '#catalogue';
import type { Estimate, Quantity } from '../contract.ts';
import type { SpeechRequest } from './request.ts';
import { estimateTokens } from '#canonical';
import { createQuantity } from '../quantity.ts';

const FRAME_TOKENS = 64;
/** The slowest intelligible speech: two characters in a second of about 25 tokens. */
const MOST_TOKENS_PER_CHARACTER = 12;
/** Fifteen characters in a second of about 21 tokens. */
const USUAL_TOKENS_PER_CHARACTER = 1.4;

/** The size of the input; counted once, because the text may be long. */
interface SpeechSize {
  /** Bytes of the text and the instructions. */
  bytes: number;
  /** UTF-16 code units of the text. */
  length: number;
  characters: number;
}

export function measureSpeech({ input, instructions = '' }: SpeechRequest): SpeechSize {
  const bytes = Buffer.byteLength(input) + Buffer.byteLength(instructions);
  return { bytes, length: input.length, characters: countCharacters(input) };
}

export function boundSpeech({ bytes, length, characters }: SpeechSize, mapping: Mapping): Quantity {
  const { maxOutput = Infinity } = mapping;
  const audio = MOST_TOKENS_PER_CHARACTER * length + FRAME_TOKENS;
  const tokens = { inputUncached: bytes + FRAME_TOKENS, outputAudio: Math.min(audio, maxOutput) };
  return createQuantity(tokens, [{ unit: 'character', count: characters }]);
}

/** Characters are counted and tokens estimated: providers do not report them with plain audio. */
export function estimateSpeech({ bytes, length, characters }: SpeechSize, { price }: Mapping): Estimate {
  if ((price?.units?.perCharacter ?? 0n) > 0n)
    return { ...createQuantity({}, [{ unit: 'character', count: characters }]), isExact: true };
  return createQuantity({
    inputUncached: estimateTokens(bytes),
    outputAudio: Math.ceil(length * USUAL_TOKENS_PER_CHARACTER),
  });
}

/** Counts code points (a surrogate pair is one) without building an array of them, which is a hundred times slower. */
function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1)
    if (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) count -= 1;
  return count;
}

function isHigh(code: number): boolean {
  return (code & 0xfc00) === 0xd800;
}

function isLow(code: number): boolean {
  return (code & 0xfc00) === 0xdc00;
}
