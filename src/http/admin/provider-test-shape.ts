import { Type } from 'typebox';
import { encodeMembers } from '#base';
import type { ProviderTest } from '../operations.ts';
import { orNull } from './fields.ts';

const MOST_LETTERS = 200;

/** The name of a provider or of a model, in a request. */
export const nameField = (description: string) =>
  Type.String({ minLength: 1, maxLength: MOST_LETTERS, description });

/** The result of a test. */
export const providerTestShape = {
  ok: Type.Boolean(),
  model: orNull(Type.String()),
  duration_ms: Type.Number(),
  status: orNull(Type.Integer()),
  message: orNull(Type.String()),
};

export const encodeProviderTest = (test: ProviderTest) =>
  encodeMembers(test, ['ok', 'model', 'durationMs', 'status', 'message']);
