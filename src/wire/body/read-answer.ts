import { isObject } from './read-field.ts';
import type { ObjectOf } from './unchecked.ts';

// Answers are read leniently: a member of an unexpected type counts as absent.

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

const NO_MEMBERS = {};

/** The object, or one without members. */
export function objectOf<V>(value: V): Partial<ObjectOf<V>> {
  return isObject(value) ? value : NO_MEMBERS;
}
