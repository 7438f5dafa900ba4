import type { IncomingMessage } from 'node:http';

/** Shorter bodies are read without a pause. */
const PACED_BYTES = 256 * 1024;
/** The overhead of a part: a client may send each byte in a chunk of its own. */
const PART_BYTES = 1024;
/** How many long bodies are read in one turn of the event loop, each by up to 128 KiB. */
const READ_AT_ONCE = 16;

const waiting: IncomingMessage[] = [];

/**
 * Reads a long body in turns with others. Node reads up to 2 MiB of each connection in one turn of its event loop, in
 * which it accepts a single new one: with hundreds of long bodies, a turn would take a second, and a new caller many.
 */
export function paceReading(request: IncomingMessage): void {
  // Announced, it comes in one part per read.
  if (Number(request.headers['content-length']) < PACED_BYTES) return;
  let bytes = 0;
  request.on('data', (part: Buffer) => {
    bytes += part.length + PART_BYTES;
    if (bytes < PACED_BYTES || request.isPaused()) return;
    request.pause();
    if (waiting.push(request) === 1) setImmediate(resumeNext);
  });
}

function resumeNext(): void {
  for (const request of waiting.splice(0, READ_AT_ONCE)) request.resume();
  if (waiting.length > 0) setImmediate(resumeNext);
}
