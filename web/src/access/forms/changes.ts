import type { Draft, Facts, Field, Value } from '../fields/field.ts';
import { kindOf } from '../fields/field-kinds.ts';

/** A field that changes, as both of its values are shown. */
export interface Change {
  field: Field;
  from: string;
  to: string;
  /** What it does from now on. */
  effect: string | undefined;
}

export const isSet = (value: Value | undefined): value is Value =>
  value !== undefined && value !== '' && value.length > 0;

const toList = (value: Value): readonly string[] => (typeof value === 'string' ? [value] : value);
const toText = (value: Value): string => (typeof value === 'string' ? value : value.join(', '));

/** The values of a form: those of a record, or of a new one. */
export function toDraft(fields: readonly Field[], record: Facts | undefined): Draft {
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      record
        ? kindOf(field).read(find(record, field.name))
        : (field.initial ?? kindOf(field).read(undefined)),
    ]),
  );
}

function find(record: Facts, name: string): unknown {
  return name.split('.').reduce<unknown>((node, part) => (node as Facts | null | undefined)?.[part], record);
}

export function showValue(field: Field, value: Value | undefined): string {
  if (!isSet(value)) return field.none ?? 'not set';
  return kindOf(field).show(toText(value), field, toList(value));
}

interface Edit {
  fields: readonly Field[];
  from: Draft;
  to: Draft;
  record: Facts | undefined;
}

/** The fields that the edit changes. */
export function findChanges({ fields, from, to, record }: Edit): Change[] {
  return fields
    .filter(({ name }) => toText(from[name] ?? '') !== toText(to[name] ?? ''))
    .map((field) => {
      const value = to[field.name] ?? '';
      return {
        field,
        from: showValue(field, from[field.name]),
        to: showValue(field, value),
        effect: field.effect?.(toText(value), record),
      };
    });
}

/** What is wrong with the values, by field. */
export function findFaults(fields: readonly Field[], draft: Draft): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = draft[field.name];
      const fault = isSet(value)
        ? kindOf(field).check?.(toText(value), field, toList(value))
        : field.none === undefined && 'This is needed';
      return fault === undefined || fault === false ? [] : [[field.name, fault]];
    }),
  );
}

/** The body that makes the changes: a field that is no longer set is null, as updates expect it. */
export function toBody(changed: readonly Field[], draft: Draft): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of changed) {
    const value = draft[field.name];
    const [first = '', second] = field.name.split('.');
    const written = isSet(value) ? kindOf(field).write(toText(value), toList(value)) : null;
    if (second === undefined) body[first] = written;
    else body[first] = { ...(body[first] as object | undefined), [second]: written };
  }
  return body;
}

/** The field that the gateway's `param` names, such as `routing.order[0]`. */
export function findNamed(fields: readonly Field[], param: string): Field | undefined {
  return fields.find(
    ({ name }) => name === param || ['.', '['].some((next) => param.startsWith(name + next)),
  );
}
