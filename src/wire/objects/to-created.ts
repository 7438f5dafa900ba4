import type { JsonValue } from '#base';
import type { CreatedObject } from '../format-facts.ts';

export function toCreated(id: JsonValue | undefined): CreatedObject[] {
  return typeof id === 'string' && id !== '' ? [{ id }] : [];
}
