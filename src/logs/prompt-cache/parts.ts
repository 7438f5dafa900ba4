/**
 * Facts of a prompt that advice needs beyond its chain: the lengths of its parts and the calls of the model. The only
 * texts are tool names.
 */
export interface PromptParts {
  /** Characters. */
  toolLength: number;
  systemLength: number;
  turnLength: number;
  /** The hash of the first turn, which all requests of a conversation share. */
  first: number;
  /** The newest answer and what followed it, without the ids of calls; 0 if there is none. */
  step: number;
  /** The positions of the tools that the turns call; of the first 64 tools. */
  called: readonly number[];
  /** Calls of the newest answer whose results the prompt adds. */
  calls: readonly CallPart[];
  /** One of the tools, another in each request, so that a few requests name them all. */
  sample?: ToolSample;
}

export interface CallPart {
  /** Position of the tool. */
  tool: number;
  /** Of name, arguments and result: equal if all three are. */
  hash: number;
  /** Characters of the result, in steps of 16. */
  length: number;
}

export interface ToolSample {
  /** Position of the tool. */
  tool: number;
  /** Characters of its definition. */
  length: number;
  name: string;
}

export const MOST_CALLS = 4;
/** Bits in which called tools are recorded. */
const CALLED_BITS = 64;
const HEAD_WORDS = 7;
const CALL_BYTES = 7;
const SAMPLE_BYTES = 4;
const MOST_NAME_BYTES = 39;
const STEP = 16;
const MOST_SHORT = 0xffff;
const UNKNOWN_TOOL = 0xff;

/** At most 100 bytes: lengths and hashes, calls, and the sampled tool. */
export function encodeParts(parts: PromptParts): Buffer {
  const { sample, called } = parts;
  const calls = parts.calls.slice(0, MOST_CALLS);
  const name = cutName(sample?.name ?? '');
  const callBytes = calls.length * CALL_BYTES;
  const bytes = Buffer.alloc(HEAD_WORDS * 4 + 1 + callBytes + SAMPLE_BYTES + name.length);
  const bits = new Uint32Array(2);
  for (const tool of called)
    if (tool < CALLED_BITS) bits[tool >>> 5] = (bits[tool >>> 5] ?? 0) | (1 << (tool & 31));
  const { toolLength, systemLength, turnLength, first, step } = parts;
  let at = 0;
  for (const word of [toolLength, systemLength, turnLength, first, step, ...bits])
    at = bytes.writeUInt32LE(word >>> 0, at);
  at = bytes.writeUInt8(calls.length, at);
  for (const { tool, hash, length } of calls) {
    at = bytes.writeUInt32LE(hash >>> 0, at);
    at = bytes.writeUInt16LE(Math.min(MOST_SHORT, Math.round(length / STEP)), at);
    at = bytes.writeUInt8(Math.min(tool, UNKNOWN_TOOL), at);
  }
  at = bytes.writeUInt8(sample ? Math.min(sample.tool, UNKNOWN_TOOL) : UNKNOWN_TOOL, at);
  at = bytes.writeUInt16LE(Math.min(sample?.length ?? 0, MOST_SHORT), at);
  at = bytes.writeUInt8(name.length, at);
  bytes.set(name, at);
  return bytes;
}

/** Undefined if the bytes are not those of parts. */
export function decodeParts(stored: Uint8Array): PromptParts | undefined {
  const bytes = Buffer.from(stored);
  if (bytes.length < HEAD_WORDS * 4 + 1 + SAMPLE_BYTES) return undefined;
  const words = Array.from({ length: HEAD_WORDS }, (_, word) => bytes.readUInt32LE(word * 4));
  const [toolLength = 0, systemLength = 0, turnLength = 0, first = 0, step = 0, ...bits] = words;
  const count = bytes.readUInt8(HEAD_WORDS * 4);
  const callsAt = HEAD_WORDS * 4 + 1;
  const sampleAt = callsAt + count * CALL_BYTES;
  if (bytes.length < sampleAt + SAMPLE_BYTES) return undefined;
  const calls = Array.from({ length: count }, (_, call) => readCall(bytes, callsAt + call * CALL_BYTES));
  const sample = readSample(bytes, sampleAt);
  const isCalled = (tool: number): boolean => (((bits[tool >>> 5] ?? 0) >>> (tool & 31)) & 1) === 1;
  return {
    toolLength,
    systemLength,
    turnLength,
    first,
    step,
    calls,
    called: Array.from({ length: CALLED_BITS }, (_, tool) => tool).filter(isCalled),
    ...(sample && { sample }),
  };
}

const readCall = (bytes: Buffer, at: number): CallPart => ({
  hash: bytes.readUInt32LE(at),
  length: bytes.readUInt16LE(at + 4) * STEP,
  tool: bytes.readUInt8(at + 6),
});

function readSample(bytes: Buffer, at: number): ToolSample | undefined {
  const tool = bytes.readUInt8(at);
  if (tool === UNKNOWN_TOOL) return undefined;
  const from = at + SAMPLE_BYTES;
  const name = bytes.toString('utf8', from, from + bytes.readUInt8(at + 3));
  return { tool, length: bytes.readUInt16LE(at + 1), name };
}

/** Whole characters only. */
function cutName(name: string): Buffer {
  let cut = name;
  while (Buffer.byteLength(cut) > MOST_NAME_BYTES) cut = Array.from(cut).slice(0, -1).join('');
  return Buffer.from(cut.slice(0, MOST_NAME_BYTES));
}
