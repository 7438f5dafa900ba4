import { StringDecoder } from 'node:string_decoder';

/** One server-sent event: `data` is the joined payload, `event` its name if it has one. */
export interface SseMessage {
  event?: string;
  data: string;
}

/** Formats one event; `data` must not contain a line break (JSON text never does). */
export function formatSse(message: SseMessage): string {
  return message.event === undefined
    ? `data: ${message.data}\n\n`
    : `event: ${message.event}\ndata: ${message.data}\n\n`;
}

/** Thrown when one event exceeds the limit: a peer that never ends a line must not exhaust the memory. */
export class SseOverflow extends Error {
  constructor(limit: number) {
    super(`a server-sent event is larger than ${limit} characters`);
    this.name = 'SseOverflow';
  }
}

/** An image is sent as one event: 4K images take about 20 MB in base64. */
const DEFAULT_LIMIT = 32 * 1024 * 1024;
/** Added for each further line of an event, because joining lines takes as much memory as longer text. */
const LINE_COST = 32;

/**
 * Parses server-sent events from bytes split anywhere. Handles UTF-8 across reads, LF, CR and CRLF, comments, several
 * `data:` lines, a byte order mark, and a last event without its blank line.
 */
export class SseParser {
  readonly #decoder = new StringDecoder('utf8');
  readonly #limit: number;
  /** Pieces of an unfinished line, joined once, so that a line of megabytes is not copied with every read. */
  #carry: string[] = [];
  #carried = 0;
  #started = false;
  #afterCr = false;
  #event: string | undefined;
  #data: string | undefined;
  /** Lines that were joined to the first one of the data. */
  #joined = 0;

  constructor(limit = DEFAULT_LIMIT) {
    this.#limit = limit;
  }

  push(bytes: Uint8Array): SseMessage[] {
    return this.#read(this.#decoder.write(bytes));
  }

  /** Ends the stream; an event without its blank line still counts, as does an unfinished line. */
  close(): SseMessage[] {
    const messages = this.#read(this.#decoder.end());
    if (this.#carried > 0) this.#readLine(this.#takeCarry());
    const last = this.#takeMessage();
    if (last) messages.push(last);
    return messages;
  }

  #read(decoded: string): SseMessage[] {
    let messages: SseMessage[] = [];
    let text = this.#withoutMark(decoded);
    if (this.#afterCr && text !== '') {
      this.#afterCr = false;
      if (text.startsWith('\n')) text = text.slice(1);
    }
    const hasCr = text.includes('\r');
    let start = 0;
    for (let end = findBreak(text, start, hasCr); end !== -1; end = findBreak(text, start, hasCr)) {
      const isCr = text.charCodeAt(end) === 13;
      const rest = start === end ? '' : text.slice(start, end);
      const line = this.#carried === 0 ? rest : this.#takeCarry() + rest;
      const message = this.#takeLine(line);
      // Most reads yield one message; a list created with it allocates no spare capacity.
      if (message && messages.length === 0) messages = [message];
      else if (message) messages.push(message);
      start = end + 1;
      if (isCr && start === text.length) this.#afterCr = true;
      else if (isCr && text.charCodeAt(start) === 10) start += 1;
    }
    if (start < text.length) this.#keep(start === 0 ? text : text.slice(start));
    const held = this.#carried + (this.#data?.length ?? 0) + this.#joined * LINE_COST;
    if (held > this.#limit) throw new SseOverflow(this.#limit);
    return messages;
  }

  #keep(piece: string): void {
    this.#carry.push(piece);
    this.#carried += piece.length;
  }

  #takeCarry(): string {
    const line = this.#carry.length === 1 ? (this.#carry[0] ?? '') : this.#carry.join('');
    this.#carry = [];
    this.#carried = 0;
    return line;
  }

  #withoutMark(text: string): string {
    if (this.#started || text === '') return text;
    this.#started = true;
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  #takeLine(line: string): SseMessage | undefined {
    if (line === '') return this.#takeMessage();
    this.#readLine(line);
    return undefined;
  }

  #readLine(line: string): void {
    if (line.startsWith('data:')) {
      this.#addData(line.slice(line.charCodeAt(5) === 32 ? 6 : 5));
    } else if (line.startsWith('event:')) {
      this.#event = line.slice(line.charCodeAt(6) === 32 ? 7 : 6);
    } else if (line === 'data') {
      this.#addData('');
    } else if (line === 'event') {
      this.#event = '';
    }
  }

  #addData(value: string): void {
    if (this.#data === undefined) {
      this.#data = value;
      return;
    }
    this.#data = `${this.#data}\n${value}`;
    this.#joined += 1;
  }

  /** The message that a blank line ends; `undefined` if it had no data. */
  #takeMessage(): SseMessage | undefined {
    const [event, data] = [this.#event, this.#data];
    this.#event = undefined;
    this.#data = undefined;
    this.#joined = 0;
    if (data === undefined) return undefined;
    return event === undefined ? { data } : { event, data };
  }
}

function findBreak(text: string, from: number, hasCr: boolean): number {
  const lf = text.indexOf('\n', from);
  if (!hasCr) return lf;
  const cr = text.indexOf('\r', from);
  if (cr === -1) return lf;
  return lf === -1 || cr < lf ? cr : lf;
}
