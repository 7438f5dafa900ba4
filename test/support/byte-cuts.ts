import { type SseMessage, SseParser } from '#base';

/** The events of a byte stream that arrives in pieces. */
export function parsePieces(pieces: Iterable<Uint8Array>): SseMessage[] {
  const parser = new SseParser();
  const messages: SseMessage[] = [];
  for (const piece of pieces) messages.push(...parser.push(piece));
  messages.push(...parser.close());
  return messages;
}

/** Cuts bytes at the given places, in any order; places outside are ignored. */
export function cutBytes(bytes: Uint8Array, places: Iterable<number>): Uint8Array[] {
  const sorted = [...new Set(places)].filter((at) => at > 0 && at < bytes.length).sort((a, b) => a - b);
  return [0, ...sorted].map((from, index) => bytes.subarray(from, sorted[index] ?? bytes.length));
}

/** The same stream as another sender might write it: other line ends, comments and pings between events. */
export function dressStream(
  messages: readonly SseMessage[],
  dress: { lineEnd: '\n' | '\r\n' | '\r'; comments: boolean; spaced: boolean },
): Buffer {
  const space = dress.spaced ? ' ' : '';
  const frames = messages.map((message, index) => {
    const lines = message.event === undefined ? [] : [`event:${space}${message.event}`];
    lines.push(`data:${space}${message.data}`, '');
    if (dress.comments && index % 3 === 0) lines.unshift(`: comment ${index}`, '', ':', '');
    return lines.map((line) => line + dress.lineEnd).join('');
  });
  return Buffer.from(frames.join(''));
}
