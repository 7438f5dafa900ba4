import { BODY_MEMBERS } from '../../api/body-members.ts';
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

/** A field as a form lists it: its kind, choices and bounds are those of the API unless it has its own. */
export type ListedField = Omit<Field, 'kind'> & { kind?: KindName };

type Bodies = Readonly<Record<string, Readonly<Record<string, BodyMemberFacts>>>>;
interface BodyMemberFacts {
  kind: KindName;
  words?: readonly string[];
  least?: number;
  most?: number;
}

/** The fields of the body of a path. */
export function fieldsOf<const Path extends ChangePath>(
  path: Path,
  ...fields: readonly (ListedField & { name: BodyMember<Path> })[]
): readonly Field[] {
  const members = (BODY_MEMBERS as Bodies)[path];
  return fields.map((field) => {
    const { words, ...facts }: BodyMemberFacts = members?.[field.name] ?? { kind: 'text' };
    const choices = words && { options: words.map(toOption), suggestions: words };
    return { ...facts, ...choices, ...field };
  });
}

const toOption = (value: string) => ({ value, label: value });

/** A decimal string of USD, as the gateway reads it. */
export const AMOUNT = /^\d{1,15}(\.\d{1,12})?$/;
