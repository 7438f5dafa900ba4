import type { JsonObject } from '#base';
import type { AccountObject } from '#canonical';
import { listReferences } from '#wire';

/** Fields that may name objects in an account at a provider: input images, and voices. */
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
