import type { JsonObject, JsonValue } from '#base';

export type Random = () => number;

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** A body larger than this is refused by its length alone. */
const MOST_BYTES = 32 * 1024 * 1024;
const TEXTS = [
  '',
  'x',
  ' ',
  '\0',
  '\ud800',
  '\u2028',
  '__proto__',
  '0',
  '-1',
  '1e400',
  '{"a":',
  '../..',
  'text',
  'auto',
  'data:image/png;base64,AA==',
  'data:,',
  'https://x.y/z',
  'file_1',
  'user',
  'assistant',
  'tool',
  'none',
];
const NUMBERS = [0, -0, -1, 1, 0.5, 1e21, 1e308, 5e-324, 2 ** 31, 2 ** 53, -(2 ** 63)];
const SCALARS: readonly JsonValue[] = [...TEXTS, ...NUMBERS, true, false, null];
const NAMES = ['odd', '__proto__', 'constructor', 'toString', 'length', '', '0', 'type', 'id', 'name'];
const ITEMS: readonly JsonValue[] = ['x', 1, {}, [], { type: 'text' }, { type: 'text', text: 'x' }, null];

/** Damages a JSON object in one to three places. A large one gets, as the last of them, a value of a thousand to a million items. */
export class Damager {
  readonly #random: Random;
  #isLarge = false;

  constructor(random: Random) {
    this.#random = random;
  }

  damage(body: JsonObject, isLarge: boolean): JsonObject {
    for (let left = Math.floor(this.#random() * 3); left > 0; left -= 1) this.#damageOnce(body);
    this.#isLarge = isLarge;
    this.#damageOnce(body);
    return body;
  }

  /** Walks down at random, and replaces, repeats, adds or removes a value there. */
  #damageOnce(body: JsonObject): void {
    let place: JsonObject | JsonValue[] = body;
    for (;;) {
      const keys: string[] = Object.keys(place);
      const key: string = keys.length === 0 ? 'odd' : pick(this.#random, keys);
      const inner: JsonValue | undefined = (place as JsonObject)[key];
      if (
        typeof inner === 'object' &&
        inner !== null &&
        this.#random() < 0.85 &&
        Object.keys(inner).length > 0
      ) {
        place = inner;
        continue;
      }
      if (Array.isArray(place)) this.#repeat(place);
      else this.#change(place, key);
      return;
    }
  }

  #change(place: JsonObject, key: string): void {
    if (!this.#isLarge && this.#random() < 0.15) {
      Reflect.deleteProperty(place, key);
      return;
    }
    const name = this.#random() < 0.85 ? key : pick(this.#random, NAMES);
    const value = this.#random() < 0.5 ? this.#createLike(place[name]) : this.#createValue();
    // By definition and not by assignment: `__proto__` is a name like any other in JSON.
    Object.defineProperty(place, name, { value, enumerable: true, configurable: true, writable: true });
  }

  #repeat(list: JsonValue[]): void {
    const count = this.#chooseLength();
    const item = this.#random() < 0.7 ? list[0] : this.#createValue();
    if (item === undefined) return;
    const most = MOST_BYTES / (JSON.stringify(item).length + 1);
    for (let left = Math.min(count, most); left > 0; left -= 1) list.push(item);
  }

  /** Once a thousand to a million where the body is to be large; else a few hundred at most. */
  #chooseLength(): number {
    const isLarge = this.#isLarge;
    this.#isLarge = false;
    return Math.floor(isLarge ? 10 ** (3 + 3 * this.#random()) : 10 ** (this.#random() ** 3 * 2.5));
  }

  /** A value of the same type, which is looked at further than one of another. */
  #createLike(known: JsonValue | undefined): JsonValue {
    const random = this.#random;
    if (typeof known === 'string')
      return this.#isLarge ? known.repeat(this.#chooseLength()) : pick(random, TEXTS);
    if (typeof known === 'number') return pick(random, NUMBERS);
    if (typeof known === 'boolean') return !known;
    return this.#createValue();
  }

  #createValue(): JsonValue {
    const random = this.#random;
    const scalar = pick(random, SCALARS);
    if (!this.#isLarge && random() < 0.5) return scalar;
    const length = this.#chooseLength();
    return pick<() => JsonValue>(random, [
      () => 'x'.repeat(length),
      () => '\u20ac"\\\n'.repeat(length),
      () => JSON.stringify({ a: Array<JsonValue>(length).fill(1) }),
      () => Array<JsonValue>(length).fill(structuredClone(pick(random, ITEMS))),
      () => Object.fromEntries(Array.from({ length }, (_, at) => [`k${at}`, scalar])),
      () => Array.from({ length: length % 200 }).reduce<JsonValue>((inner) => [inner], scalar),
      () => ({ [pick(random, NAMES)]: scalar }),
    ])();
  }
}

/** The bytes of a body; now and then some of them are lost, doubled or replaced. */
export function printDamaged(random: Random, body: JsonObject): Buffer {
  const bytes = Buffer.from(JSON.stringify(body)).subarray(0, MOST_BYTES);
  if (random() < 0.93) return bytes;
  const at = Math.floor(random() * bytes.length);
  const to = at + Math.floor(random() * 20);
  return pick<() => Buffer>(random, [
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]),
    () => Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]).subarray(0, MOST_BYTES),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.from([random() * 256]), bytes.subarray(at + 1)]),
  ])();
}
