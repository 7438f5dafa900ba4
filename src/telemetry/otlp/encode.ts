import type { MessageType } from './messages.ts';

/** A value of an OTLP message; absent members are not written. */
type OtlpValue = string | number | bigint | boolean | OtlpObject | readonly OtlpValue[] | undefined;

export interface OtlpObject {
  readonly [name: string]: OtlpValue;
}

/** OTLP's JSON: integers of 64 bits are strings, ids hexadecimal, enums numbers. */
export function encodeJson(object: OtlpObject): Buffer {
  const text = JSON.stringify(object, (_name, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return Buffer.from(text);
}

/** The same as protobuf. */
export function encodeProtobuf(type: MessageType, object: OtlpObject): Buffer {
  const writer = new Writer();
  writer.message(type, object);
  return writer.bytes;
}

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;
const FIRST_BYTES = 16 * 1024;

type Kind = Parameters<MessageType['with']>[2];

class Writer {
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  message({ fields }: MessageType, object: OtlpObject): void {
    for (const [name, { number, kind, repeats }] of fields) {
      const value = object[name];
      if (value === undefined) continue;
      if (!repeats) this.#field(number, kind, value);
      else if (kind === 'fixed64' || kind === 'double') this.#packed(number, kind, value as OtlpValue[]);
      else for (const one of value as OtlpValue[]) this.#field(number, kind, one);
    }
  }

  #field(number: number, kind: Kind, value: OtlpValue): void {
    if (kind === 'flag' || kind === 'enum' || kind === 'int64') this.#tag(number, VARINT);
    else if (kind === 'fixed64' || kind === 'double') this.#tag(number, FIXED64);
    else this.#tag(number, kind === 'fixed32' ? FIXED32 : LENGTH);
    this.#value(kind, value);
  }

  #value(kind: Kind, value: OtlpValue): void {
    switch (kind) {
      case 'text':
        this.#text(value as string, 'utf8');
        return;
      case 'hex':
        this.#text(value as string, 'hex');
        return;
      case 'flag':
      case 'enum':
        this.#varint(Number(value));
        return;
      case 'int64':
        this.#varint64(value as bigint);
        return;
      case 'fixed32':
        this.#length = this.#room(4).writeUInt32LE(value as number, this.#length);
        return;
      case 'fixed64':
        this.#length = this.#room(8).writeBigUInt64LE(value as bigint, this.#length);
        return;
      case 'double':
        this.#length = this.#room(8).writeDoubleLE(value as number, this.#length);
        return;
      default:
        this.#sized(() => this.message(kind, value as OtlpObject));
    }
  }

  #packed(number: number, kind: Kind, values: readonly OtlpValue[]): void {
    this.#tag(number, LENGTH);
    this.#varint(values.length * 8);
    for (const value of values) this.#value(kind, value);
  }

  #text(text: string, encoding: 'utf8' | 'hex'): void {
    const size = Buffer.byteLength(text, encoding);
    this.#varint(size);
    this.#length += this.#room(size).write(text, this.#length, encoding);
  }

  /** Writes data after its length: one byte is reserved for the length, and more where it is long. */
  #sized(write: () => void): void {
    this.#room(1);
    const from = (this.#length += 1);
    write();
    const size = this.#length - from;
    const extra = sizeOfVarint(size) - 1;
    if (extra > 0) this.#room(extra).copyWithin(from + extra, from, from + size);
    this.#length = from - 1;
    this.#varint(size);
    this.#length += size;
  }

  #tag(number: number, wireType: number): void {
    this.#varint(number * 8 + wireType);
  }

  #varint(value: number): void {
    const buffer = this.#room(10);
    let rest = value;
    while (rest > 127) {
      buffer[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    buffer[this.#length++] = rest;
  }

  #varint64(value: bigint): void {
    const buffer = this.#room(10);
    let rest = BigInt.asUintN(64, value);
    while (rest > 127n) {
      buffer[this.#length++] = Number(rest & 127n) + 128;
      rest >>= 7n;
    }
    buffer[this.#length++] = Number(rest);
  }

  /** The buffer, with at least this many free bytes. */
  #room(size: number): Buffer {
    const needed = this.#length + size;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    return this.#buffer;
  }
}

function sizeOfVarint(value: number): number {
  let size = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) size += 1;
  return size;
}
