import { type TSchema, Type } from 'typebox';
import { noted } from './schema-notes.ts';
import { anyObject } from './schema-parts.ts';

// What requests of both OpenAI formats have in common.

/** Clients replay arguments as upstreams sent them: as an object, or not at all. */
export const callArguments = noted(Type.Union([Type.String(), anyObject]), { expected: 'a string' });

/** The content of a message: a string, or a list of parts. */
export function contentOf<Part extends TSchema>(part: Part, options: { minItems?: number } = {}) {
  return noted(Type.Union([Type.String(), Type.Array(part, options)]), {
    complaint: 'expected a string or an array of parts',
  });
}

/** The same with text only; bodies are checked against `checked`, which has a better message. */
export function textContentOf<Part extends TSchema>(part: Part, checked: TSchema) {
  const like = noted(Type.Union([Type.String(), Type.Array(checked)]), { expected: 'an array' });
  return noted(Type.Union([Type.String(), Type.Array(part)]), { like: (): TSchema => like });
}
