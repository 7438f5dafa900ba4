import { type PromptParts, decodeParts, encodeParts } from './parts.ts';

/**
 * The parts of a prompt that decide whether it is read from a cache, as hashes of 32 bits; no text can be read from them.
 */
export interface PromptChain {
  /** One hash per entry of `CHAIN_PARAMETERS`. */
  parameters: Uint32Array;
  /** Of the names of tools, 16 bits each. */
  toolNames: Uint16Array;
  tools: Uint32Array;
  system: Uint32Array;
  /** One hash per `turnsPerHash` turns. */
  turns: Uint32Array;
  turnsPerHash: number;
  turnCount: number;
  /** The places of cache marks: how many tools and blocks each one covers. */
  marks: Uint32Array;
  /** Of the last of them; 0 without marks. */
  ttlMinutes: number;
}

/** A chain with no more tools and system blocks than are stored: comparable with one that was. */
export function limitChain(chain: PromptChain): PromptChain {
  return {
    ...chain,
    tools: fold(chain.tools, MOST_TOOLS),
    toolNames: chain.toolNames.slice(0, MOST_TOOLS),
    system: fold(chain.system, MOST_SYSTEM),
    marks: chain.marks.slice(-MOST_MARKS),
  };
}

/** The parts of a cached prefix besides the text. */
export const CHAIN_PARAMETERS = ['thinking', 'tool choice', 'output', 'tier'] as const;

const VERSION = 1;
const HEADER_BYTES = 12;
/** Where the header has the length of the parts. */
const TAIL_AT = 6;
const WORD = 4;
/** Tools and system blocks beyond these are one hash; with the others a chain has less than 1 KB. */
const MOST_TOOLS = 64;
const MOST_SYSTEM = 24;
const MOST_TURNS = 96;
const MOST_MARKS = 4;
const MOST_BYTE = 255;
const MOST_COUNT = 65_535;

/** The chain as it is stored alongside a row, with the parts behind it, in base64: at most 1 KB, little-endian. */
export function encodeChain(chain: PromptChain, parts?: PromptParts): string {
  const { tools, system, marks, toolNames } = limitChain(chain);
  const { parameters, turnCount, ttlMinutes } = chain;
  const perHash = Math.max(1, Math.ceil(turnCount / MOST_TURNS));
  const lists = [parameters, tools, system, foldTurns(chain.turns, perHash), marks];
  const words = lists.reduce((sum, { length }) => sum + length, 0);
  const tail = parts ? encodeParts(parts) : new Uint8Array(0);
  const bytes = new Uint8Array(HEADER_BYTES + words * WORD + toolNames.length * 2 + tail.length);
  bytes.set([VERSION, Math.min(ttlMinutes, MOST_BYTE), parameters.length, tools.length]);
  bytes.set([system.length, marks.length, tail.length, 0], 4);
  new Uint16Array(bytes.buffer, 8, 2).set([Math.min(turnCount, MOST_COUNT), perHash]);
  const hashes = new Uint32Array(bytes.buffer, HEADER_BYTES, words);
  let at = 0;
  for (const list of lists) {
    hashes.set(list, at);
    at += list.length;
  }
  new Uint16Array(bytes.buffer, HEADER_BYTES + words * WORD, toolNames.length).set(toolNames);
  bytes.set(tail, bytes.length - tail.length);
  return Buffer.from(bytes.buffer).toString('base64');
}

/** A stored chain; undefined if it is of another version. */
export function decodeChain(stored: Uint8Array): PromptChain | undefined {
  const bytes = Uint8Array.from(stored); // aligned
  const [version, ttlMinutes = 0, parameters = 0, tools = 0, system = 0, marks = 0, tail = 0] = bytes;
  if (bytes.length < HEADER_BYTES || version !== VERSION) return undefined;
  const [turnCount = 0, turnsPerHash = 1] = new Uint16Array(bytes.buffer, 8, 2);
  const turns = Math.ceil(turnCount / turnsPerHash);
  const words = parameters + tools + system + turns + marks;
  if (bytes.length !== HEADER_BYTES + words * WORD + tools * 2 + tail) return undefined;
  let at = HEADER_BYTES;
  const take = (count: number): Uint32Array => {
    at += count * WORD;
    return new Uint32Array(bytes.buffer, at - count * WORD, count);
  };
  return {
    parameters: take(parameters),
    tools: take(tools),
    system: take(system),
    turns: take(turns),
    marks: take(marks),
    toolNames: new Uint16Array(bytes.buffer, at, tools),
    turnsPerHash,
    turnCount,
    ttlMinutes,
  };
}

/** The parts behind a stored chain; undefined in rows of versions that stored none. */
export function readParts(stored: Uint8Array): PromptParts | undefined {
  const tail = stored[TAIL_AT] ?? 0;
  return tail === 0 ? undefined : decodeParts(stored.subarray(stored.length - tail));
}

/** The first ones as they are, and one hash of the others. */
function fold(hashes: Uint32Array, most: number): Uint32Array {
  if (hashes.length <= most) return hashes;
  const folded = hashes.slice(0, most);
  folded[most - 1] = combineAll(hashes, most - 1, hashes.length);
  return folded;
}

/** One hash per so many turns. */
export function foldTurns(turns: Uint32Array, perHash: number): Uint32Array {
  if (perHash === 1) return turns;
  const count = Math.ceil(turns.length / perHash);
  return Uint32Array.from({ length: count }, (_, at) =>
    combineAll(turns, at * perHash, Math.min(turns.length, (at + 1) * perHash)),
  );
}

function combineAll(hashes: Uint32Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum = combine(sum, hashes[at] ?? 0);
  return sum;
}

/** Two hashes in order as one. */
export function combine(one: number, other: number): number {
  return (Math.imul(one ^ (one >>> 15), 0x2c1b3c6d) ^ Math.imul(other ^ (other >>> 13), 0x297a2d39)) >>> 0;
}
