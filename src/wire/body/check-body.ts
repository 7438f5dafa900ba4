import type { Static, TSchema } from 'typebox';
import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { describeKind, refuse } from './read-field.ts';
import {
  type ValueCheck,
  type Member,
  type ObjectCheck,
  type CheckedSchema,
  generateMembers,
  generateSwitch,
  writeGuard,
} from './generate-check.ts';
import { type SchemaFault, type SchemaNotes, notesOf } from './schema-notes.ts';

/** How a format names places and words its refusals. */
interface Style {
  /** The notation of list positions: `messages.0` or `messages[0]`. */
  positions: 'dots' | 'brackets';
  /** The sentence about a value that is not `expected` (`a string`); `noted` is the one of its schema. */
  complain(expected: string, value: JsonValue | undefined, noted: string | undefined): string;
  /** Another accepted name of a member. */
  findAlias?(name: string): string;
}

/** The checks of the kinds of values that a schema accepts. */
interface Kinds {
  string?(value: string): SchemaFault | undefined;
  number?(value: number): SchemaFault | undefined;
  boolean?: ValueCheck;
  null?: ValueCheck;
  array?(value: JsonValue[]): SchemaFault | undefined;
  object?(value: JsonObject): SchemaFault | undefined;
}

/** The style of the formats whose sentence is `expected a string, got null`. */
export const BRACKET_STYLE: Style = {
  positions: 'brackets',
  complain: (expected, value, noted) => noted ?? `expected ${expected}, got ${describeKind(value)}`,
};

/** Checks the bodies of a format and refuses the first fault by its path; compiled at the first body. */
export function compileCheck<Schema extends TSchema>(schema: Schema, style: Style) {
  let check: ValueCheck | undefined;
  return (value: JsonValue, path?: string): Static<Schema> => {
    check ??= new Compiler(style).compile(schema);
    const fault = check(value);
    if (!fault) return value as Static<Schema>;
    return refuse(
      describePath(path === undefined ? fault.steps : [path, ...fault.steps], style),
      fault.complaint,
    );
  };
}

function describePath(steps: SchemaFault['steps'], { positions }: Style): string {
  return steps
    .map((step, at) => {
      if (typeof step === 'number' && positions === 'brackets') return `[${step}]`;
      return at === 0 ? String(step) : `.${step}`;
    })
    .join('');
}

function accept(): undefined {
  return undefined;
}

function within(step: string | number, fault: SchemaFault): SchemaFault {
  fault.steps.unshift(step);
  return fault;
}

class Compiler {
  readonly #style: Style;
  /** Schemas may refer to themselves. */
  readonly #known = new Map<CheckedSchema, ValueCheck>();

  constructor(style: Style) {
    this.#style = style;
  }

  compile(schema: CheckedSchema): ValueCheck {
    const known = this.#known.get(schema);
    if (known) return known;
    let check: ValueCheck = accept;
    this.#known.set(schema, (value) => check(value));
    check = this.#compileNoted(schema);
    this.#known.set(schema, check);
    return check;
  }

  #compileNoted(schema: CheckedSchema): ValueCheck {
    const notes = notesOf(schema);
    if (notes.like) return this.compile(notes.like());
    if (notes.lenient === 'entirely') return accept;
    const check = this.#compileKinds(schema, notes);
    if (notes.lenient) return (value) => (isJsonObject(value) ? check(value) : undefined);
    const { rule } = notes;
    return rule ? (value) => check(value) ?? rule(value ?? null) : check;
  }

  #compileKinds(schema: CheckedSchema, notes: SchemaNotes): ValueCheck {
    const [inner, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
    const isNullable = schema.anyOf?.some(({ type }) => type === 'null') === true;
    if (isNullable && inner && others.length === 0) {
      const check = this.compile(inner);
      return check === accept ? accept : (value) => (value === null ? undefined : check(value));
    }
    const alternatives = listAlternatives(schema);
    if (alternatives.some(({ type }) => type === undefined)) return accept;
    const complain = this.#createComplaint(alternatives, notes);
    const kinds: Kinds = isNullable ? { null: accept } : {};
    for (const alternative of alternatives)
      Object.assign(
        kinds,
        alternative === schema || !NESTING.has(alternative.type)
          ? this.#compileKind(alternative, notes, complain)
          : { [alternative.type ?? '']: this.compile(alternative) },
      );
    const words = alternatives.flatMap((alternative) => alternative.const ?? []);
    if (words.length > 0) kinds.string = (word) => (words.includes(word) ? undefined : complain(word));
    const objects = alternatives.filter(({ type }) => type === 'object');
    if (objects.length > 1) kinds.object = this.#compileUnion(objects, notes);
    return createCheck(kinds, complain);
  }

  #createComplaint(
    alternatives: readonly CheckedSchema[],
    notes: SchemaNotes,
  ): (value: JsonValue | undefined) => SchemaFault {
    const words = alternatives.flatMap((alternative) => alternative.const ?? []);
    const noted = notes.complaint ?? (words.length > 0 ? `must be one of ${words.join(', ')}` : undefined);
    const expected = notes.expected ?? describeType(alternatives[0]?.type);
    return (value) => ({ steps: [], complaint: this.#style.complain(expected, value, noted) });
  }

  #compileKind(schema: CheckedSchema, notes: SchemaNotes, complain: ValueCheck): Kinds {
    switch (schema.type) {
      case 'string':
        return { string: schema.minLength === undefined ? accept : refuseEmpty };
      case 'integer':
      case 'number':
        return { number: compileNumber(schema, notes.complaint === undefined ? undefined : complain) };
      case 'boolean':
        return { boolean: accept };
      case 'array':
        return { array: this.#compileList(schema, notes) };
      default:
        return { object: this.#compileObject(schema) };
    }
  }

  #compileList({ items, minItems = 0, maxItems = Infinity }: CheckedSchema, notes: SchemaNotes) {
    const check = items ? this.compile(items) : accept;
    const { empty = 'must not be empty', tooMany = describeMost } = notes;
    return (list: JsonValue[]): SchemaFault | undefined => {
      const { length } = list;
      if (length < minItems) return { steps: [], complaint: empty };
      if (length > maxItems) return { steps: [], complaint: tooMany(maxItems, length) };
      if (check === accept) return undefined;
      for (let at = 0; at < length; at += 1) {
        const fault = check(list[at]);
        if (fault) return within(at, fault);
      }
      return undefined;
    };
  }

  #compileObject({ properties = {}, required = [] }: CheckedSchema): ObjectCheck {
    const members: Member[] = [];
    for (const [name, schema] of Object.entries(properties)) {
      const check = this.compile(schema);
      const alias = this.#style.findAlias?.(name) ?? name;
      const isRequired = required.includes(name);
      if (check !== accept) members.push({ name, alias, isRequired, check, guard: writeGuard(schema) });
    }
    return generateMembers(members, within);
  }

  #compileUnion(alternatives: readonly CheckedSchema[], { select, unknown }: SchemaNotes): ObjectCheck {
    const checks = alternatives.map((alternative) => this.compile(alternative));
    if (select) {
      return (value) => {
        const chosen = select(value);
        return typeof chosen === 'number' ? checks[chosen]?.(value) : chosen;
      };
    }
    const selector = findSelector(alternatives);
    const words = alternatives.map((alternative) => wordsOf(alternative, selector));
    const complaint = unknown ?? `must be one of ${words.flat().join(', ')}`;
    const other = checks[words.findIndex((list) => list.length === 0)];
    return generateSwitch(
      selector,
      words.map((list, at) => ({ words: list, check: checks[at] ?? accept })),
      other ?? (() => ({ steps: [selector], complaint })),
    );
  }
}

const NESTING: ReadonlySet<string | undefined> = new Set(['array', 'object']);

/** The alternatives of a schema but null. */
function listAlternatives(schema: CheckedSchema): CheckedSchema[] {
  if (schema.anyOf) return schema.anyOf.flatMap(listAlternatives);
  return schema.type === 'null' ? [] : [schema];
}

function createCheck(kinds: Kinds, complain: ValueCheck): ValueCheck {
  const { string, number, boolean, array, object } = kinds;
  return (value) => {
    switch (typeof value) {
      case 'string':
        return string ? string(value) : complain(value);
      case 'number':
        return number ? number(value) : complain(value);
      case 'boolean':
        return boolean ? undefined : complain(value);
      case 'undefined':
        return complain(value);
      default:
        if (value === null) return kinds.null ? undefined : complain(value);
        if (Array.isArray(value)) return array ? array(value) : complain(value);
        return object ? object(value) : complain(value);
    }
  };
}

function describeType(type: string | undefined): string {
  if (type === 'integer') return 'a number';
  return type === 'array' || type === 'object' ? `an ${type}` : `a ${type ?? 'value'}`;
}

function describeMost(most: number): string {
  return `at most ${most} are accepted`;
}

function refuseEmpty(text: string): SchemaFault | undefined {
  return text === '' ? { steps: [], complaint: 'must not be empty' } : undefined;
}

const SAFE = { integer: Number.MAX_SAFE_INTEGER, number: Infinity };

function compileNumber({ type, minimum, maximum }: CheckedSchema, complain: ValueCheck | undefined) {
  const isInteger = type === 'integer';
  const most = maximum ?? SAFE[isInteger ? 'integer' : 'number'];
  const least = minimum ?? -SAFE[isInteger ? 'integer' : 'number'];
  return (value: number): SchemaFault | undefined => {
    const isWithin = Number.isFinite(value) && value >= least && value <= most;
    if (isWithin && (!isInteger || Number.isSafeInteger(value))) return undefined;
    if (complain) return complain(value);
    return { steps: [], complaint: isWithin ? 'must be an integer' : `must be between ${least} and ${most}` };
  };
}

const SELECTORS = ['type', 'role'] as const;

/** The member whose values distinguish alternatives; an alternative that allows any value takes all others. */
function findSelector(alternatives: readonly CheckedSchema[]): string {
  const isSelector = (name: string): boolean =>
    alternatives.filter((one) => wordsOf(one, name).length === 0).length < 2;
  return SELECTORS.find(isSelector) ?? 'type';
}

function wordsOf({ properties }: CheckedSchema, name: string): string[] {
  const schema = properties?.[name];
  return [schema, ...(schema?.anyOf ?? [])].flatMap((one) => one?.const ?? []);
}
