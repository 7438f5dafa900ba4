import type { TObject, TSchema } from 'typebox';
import { Type } from 'typebox';
import { FALLBACKS_MEMBER, PREFERENCE_MEMBERS } from '#pipeline';

/** A request's schema with the members by which it chooses providers and models. */
export function withPreferences(schema: TObject, more: Record<string, TSchema> = {}): TSchema {
  const { title, description, additionalProperties } = schema as TObject & Options;
  const options = { title, description, additionalProperties };
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return Type.Object({ ...schema.properties, ...PREFERENCE_MEMBERS, ...more }, given);
}

/** The same with LiteLLM's `fallbacks`. */
export const withFallbacks = (schema: TObject): TSchema => withPreferences(schema, FALLBACKS_MEMBER);

interface Options {
  title?: string;
  description?: string;
  additionalProperties?: TSchema | boolean;
}
