import { MISS_CODES } from '#logs';
import { Type } from 'typebox';
import { orNull, usdShape } from './fields.ts';

/** Why a request missed the prompt cache of its provider. */
export const missMembers = {
  text: Type.String({ description: 'The reasons as a sentence.' }),
  reasons: Type.Array(
    Type.Object({
      code: Type.Enum([...MISS_CODES]),
      tools: Type.Optional(
        Type.Array(Type.String(), { description: '`+` added, `-` removed, `~` changed; the first three.' }),
      ),
      more_tools: Type.Optional(Type.Integer()),
      position: Type.Optional(
        Type.Integer({ description: 'The first tool, system block or turn that differs, from 1.' }),
      ),
      only_date: Type.Optional(
        Type.Boolean({ description: 'Numbers, weekdays or months are all that differs, as in a date.' }),
      ),
      last_position: Type.Optional(
        Type.Integer({ description: 'The last turn that may be the one, if it is not known exactly.' }),
      ),
      parameters: Type.Optional(Type.Array(Type.String())),
      idle_minutes: Type.Optional(Type.Integer()),
      ttl_minutes: Type.Optional(Type.Integer()),
      least_tokens: Type.Optional(
        Type.Integer({ description: 'The shortest prompt that the provider caches.' }),
      ),
    }),
    { description: 'The first cause first.' },
  ),
  tokens: Type.Integer({ description: 'What could have been read from the cache and was not.' }),
  cost: usdShape,
  reported: orNull(Type.String({ description: 'The reason that the provider reported.' })),
};

export const missShape = orNull(
  Type.Object(missMembers, {
    description: 'Why the prompt was not read from the prompt cache; null if it was, or if nothing is known.',
  }),
);
