import { type TSchema, Type } from 'typebox';
import { noted } from './schema-notes.ts';
import { anyObject } from './schema-parts.ts';

// What the requests of both formats of OpenAI have in common.

/** Clients replay arguments as upstreams sent them: as an object, or not at all. */
export const callArguments = noted(Type.Union([Type.String(), anyObject]), { expected: 'a string' });

/** The content of a message: a string, or a list of parts. */
export function contentOf<Part extends TSchema>(part: Part, options: { minItems?: number } = {}) {
  return noted(Type.Union([Type.String(), Type.Array(part, options)]), {
    complaint: 'expected a string or an array of parts',
  });
}

/** The same of text only; `checked` is what bodies are checked against, for its better complaint. */
export function textContentOf<Part extends TSchema>(part: Part, checked: TSchema) {
  const like = noted(Type.Union([Type.String(), Type.Array(checked)]), { expected: 'an array' });
  return noted(Type.Union([Type.String(), Type.Array(part)]), { like: (): TSchema => like });
}
