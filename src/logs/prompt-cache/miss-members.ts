import {
  type OutputType,
  choice,
  derived,
  flag,
  listOf,
  membersOf,
  number,
  objectOf,
  optionalOutput,
  outputText,
  textList,
  textOrNull,
  usdDigits,
  described,
} from '#fields';
import { type CacheMiss, MISS_CODES, type MissReason, describeMiss } from '../rows/miss.ts';

const optionalNumber = (description?: string): OutputType<number> => optionalOutput(number(description));

const reason = objectOf<MissReason>()({
  code: choice(MISS_CODES),
  tools: optionalOutput(described('`+` added, `-` removed, `~` changed; the first three.', textList(''))),
  moreTools: optionalNumber(),
  position: optionalNumber('The first tool, system block or turn that differs, from 1.'),
  onlyDate: optionalOutput(flag('', 'Numbers, weekdays or months are all that differs, as in a date.')),
  lastPosition: optionalNumber('The last turn that may be the one, if it is not known exactly.'),
  parameters: optionalOutput(textList('')),
  idleMinutes: optionalNumber(),
  ttlMinutes: optionalNumber(),
  leastTokens: optionalNumber('The shortest prompt that the provider caches.'),
});

/** Why a request missed the prompt cache of its provider. */
export const missMembers = membersOf<CacheMiss>()({
  text: derived(outputText('The reasons as a sentence.'), describeMiss),
  reasons: listOf(reason, 'The first cause first.'),
  tokens: number('What could have been read from the cache and was not.'),
  cost: usdDigits,
  reported: textOrNull('The reason that the provider reported.'),
});
