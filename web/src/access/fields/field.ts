import type { BodyMember, ChangePath } from '../access-queries.ts';
import type { KindName } from './field-kinds.ts';

/** What a field holds while it is edited: a text, or a list of them. */
export type Value = string | readonly string[];
export type Draft = Readonly<Record<string, Value>>;

/** A record as the gateway returns it. */
export type Facts = Readonly<Record<string, unknown>>;

/** One member of a body that can be set, such as `limit` or `rate_limits.concurrency`. */
export interface Field {
  name: string;
  label: string;
  help?: string;
  kind: KindName;
  /** What is shown if it is not set; a field without it must be set. */
  none?: string;
  /** The choices of the kinds `choice` and `seconds`. */
  options?: readonly { value: string; label: string }[];
  /** What may be typed, as an aid. */
  suggestions?: readonly string[];
  unit?: string;
  /** What a count counts, in the singular. */
  noun?: string;
  least?: number;
  most?: number;
  /** Whether an update includes it even if it does not change. */
  isAlwaysSent?: boolean;
  /** Its value in the form of a new record. */
  initial?: Value;
  /** What a new value does, in a sentence; `record` is absent for a new one. */
  effect?(value: string, record: Facts | undefined): string | undefined;
}

/** Fields whose names are members of the body of a path. */
export const fieldsOf =
  <const Path extends ChangePath>() =>
  <const Listed extends readonly (Field & { name: BodyMember<Path> })[]>(...fields: Listed): Listed =>
    fields;

export const choices = (...values: readonly string[]) => values.map((value) => ({ value, label: value }));

/** A decimal string of USD, as the gateway reads it. */
export const AMOUNT = /^\d{1,15}(\.\d{1,12})?$/;
