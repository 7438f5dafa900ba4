import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import type { PartialArgument, StreamedCall } from './answer-schema.ts';

const STEP = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy;
const MOST_STEPS = 64;
const MOST_ITEMS = 10_000;

type Container = JsonObject | JsonValue[];

/** Arguments that arrive in pieces, each with its path (Vertex's `streamFunctionCallArguments`). */
export class PartialCall {
  readonly #args: JsonObject = {};

  /** Adds the pieces of one chunk; skips those without a path or a value. */
  add(pieces: Members<StreamedCall>['partialArgs']): void {
    for (const piece of itemsOf(pieces)) {
      if (!isObject(piece) || typeof piece.jsonPath !== 'string') continue;
      const value = readValue(piece);
      if (value !== undefined) put(this.#args, parsePath(piece.jsonPath), value);
    }
  }

  /** Complete arguments sent alongside the pieces. */
  merge(args: JsonValue | undefined): void {
    if (!isJsonObject(args)) return;
    for (const [name, value] of Object.entries(args)) if (name !== '__proto__') this.#args[name] = value;
  }

  get json(): string {
    return JSON.stringify(this.#args);
  }
}

function readValue(piece: Members<PartialArgument>): JsonValue | undefined {
  const { stringValue, numberValue, boolValue } = piece;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof numberValue === 'number') return numberValue;
  if (typeof boolValue === 'boolean') return boolValue;
  return 'nullValue' in piece ? null : undefined;
}

/** Splits `$.a.b[0]['c']` into its steps. */
function parsePath(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  STEP.lastIndex = path.startsWith('$') ? 1 : 0;
  for (let match = STEP.exec(path); match && steps.length < MOST_STEPS; match = STEP.exec(path)) {
    const [, name, index, single, double] = match;
    steps.push(index === undefined ? (name ?? single ?? double ?? '') : Number(index));
  }
  return steps;
}

function put(root: JsonObject, steps: readonly (string | number)[], value: JsonValue): void {
  let owner: Container = root;
  for (const [at, step] of steps.entries()) {
    if (step === '__proto__' || (Array.isArray(owner) && !isPlace(owner, step))) return;
    const known = read(owner, step);
    if (at === steps.length - 1) {
      // Text arrives in pieces, all other values whole.
      write(owner, step, typeof known === 'string' && typeof value === 'string' ? known + value : value);
      return;
    }
    const inner: Container =
      typeof known === 'object' && known !== null ? known : typeof steps[at + 1] === 'number' ? [] : {};
    write(owner, step, inner);
    owner = inner;
  }
}

function isPlace(list: JsonValue[], step: string | number): step is number {
  return typeof step === 'number' && step <= list.length && step < MOST_ITEMS;
}

function read(owner: Container, step: string | number): JsonValue | undefined {
  if (Array.isArray(owner)) return owner[step as number];
  return Object.hasOwn(owner, step) ? owner[step] : undefined;
}

function write(owner: Container, step: string | number, value: JsonValue): void {
  if (Array.isArray(owner)) owner[step as number] = value;
  else owner[step] = value;
}
