import type { JsonObject } from '#base';
import type { AccountObject } from '#canonical';
import { listReferences } from '#wire';

/** Where bodies may name what lies in an account at a provider: pictures to begin with, and voices. */
const PLACES = {
  conversation: ['image', 'images', 'mask', 'voice'],
  settings: [],
  tools: /^/,
  style: 'brackets',
} as const;

/** The objects of a provider account that a body names. */
export function listAccountObjects(body: JsonObject): { accountObjects?: AccountObject[] } {
  return listReferences(body, PLACES);
}
