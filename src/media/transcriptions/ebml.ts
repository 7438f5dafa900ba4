import { refuseUncounted } from './reading.ts';

/** An element of EBML, of which WebM and Matroska consist. */
export interface Element {
  id: number;
  /** Where its content is. */
  from: number;
  to: number;
}

/** A file, and how many more elements of it may be read. */
export interface EbmlFile {
  bytes: Buffer;
  elementsLeft: number;
}

/** 3 hours of blocks of 20 ms. */
const MOST_ELEMENTS = 600_000;
/** A search costs as much as a look at many elements; clusters have many blocks. */
const MARK_COST = 6;
/** Elements with ids of four bytes contain clusters and tracks, and are never inside them. */
const OUTER_ID = 0x10000000;
const MOST_NUMBER_BYTES = 8;

export function openEbml(bytes: Buffer): EbmlFile {
  return { bytes, elementsLeft: MOST_ELEMENTS };
}

/** Wherever the id of four bytes is, also inside of other elements: where sizes are false, decoders search for it. */
export function* findElements(file: EbmlFile, id: number): Iterable<number> {
  const mark = Buffer.alloc(4);
  mark.writeUInt32BE(id);
  for (let at = file.bytes.indexOf(mark); at !== -1; at = file.bytes.indexOf(mark, at + mark.length)) {
    countElements(file, MARK_COST);
    yield at;
  }
}

/** The elements inside the one at a place, in order, and those inside these masters; sizes of masters are not trusted. */
export function* listInside(file: EbmlFile, at: number, masters: readonly number[]): Iterable<Element> {
  let next = readElement(file.bytes, at)?.from;
  while (next !== undefined && next < file.bytes.length) {
    countElements(file, 1);
    const element = readElement(file.bytes, next);
    if (!element || element.id >= OUTER_ID) return;
    yield element;
    next = masters.includes(element.id) ? element.from : element.to;
  }
}

function countElements(file: EbmlFile, count: number): void {
  file.elementsLeft -= count;
  if (file.elementsLeft < 0) refuseUncounted('blocks or elements');
}

function readElement(bytes: Buffer, at: number): Element | undefined {
  const idBytes = countNumberBytes(bytes, at);
  const sizeBytes = countNumberBytes(bytes, at + idBytes);
  const from = at + idBytes + sizeBytes;
  if (idBytes > 4 || sizeBytes > MOST_NUMBER_BYTES || from > bytes.length) return undefined;
  const size = readVariable(bytes, at + idBytes);
  return { id: bytes.readUIntBE(at, idBytes), from, to: Math.min(bytes.length, from + size) };
}

/** The length in bytes of a variable-length number; too large where there is none. */
export function countNumberBytes(bytes: Buffer, at: number): number {
  return Math.clz32((bytes[at] ?? 0) << 24) + 1;
}

/** A variable-length number; its first bits give its length. */
export function readVariable(bytes: Buffer, at: number): number {
  const count = countNumberBytes(bytes, at);
  let number = (bytes[at] ?? 0) & (0xff >> count);
  for (let next = at + 1; next < at + count; next += 1) number = number * 256 + (bytes[next] ?? 0);
  return number;
}

/** 0 where the element is absent. */
export function readNumber(bytes: Buffer, element: Element | undefined): number {
  let number = 0;
  const { from, to } = element ?? { from: 0, to: 0 };
  for (let at = from; at < Math.min(to, from + MOST_NUMBER_BYTES); at += 1)
    number = number * 256 + (bytes[at] ?? 0);
  return number;
}

/** 0 where the element is absent or no number. */
export function readFloat(bytes: Buffer, element: Element | undefined): number {
  const { from, to } = element ?? { from: 0, to: 0 };
  if (to - from === 4) return bytes.readFloatBE(from);
  return to - from === 8 ? bytes.readDoubleBE(from) : 0;
}
