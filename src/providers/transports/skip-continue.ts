import type { Socket } from 'node:net';

const CONTINUE = Buffer.from('HTTP/1.1 100 ');
/** The last digit of the status. */
const DIGIT = CONTINUE.length - 2;

/**
 * Lets undici skip a `100 Continue` that was not asked for, as it skips other statuses of this kind: it reads a 103
 * instead. Otherwise it would end the connection, although a server may send one.
 */
export function skipContinue(socket: Socket): void {
  const { write, read } = socket;
  let isAnswerNext = false;
  socket.write = (...given: unknown[]) => {
    isAnswerNext = true;
    return Reflect.apply(write, socket, given) as boolean;
  };
  socket.read = (size) => {
    const bytes: unknown = read.call(socket, size);
    if (!isAnswerNext || !Buffer.isBuffer(bytes)) return bytes;
    isAnswerNext = false;
    if (bytes.subarray(0, CONTINUE.length).equals(CONTINUE)) bytes[DIGIT] = 0x33;
    return bytes;
  };
}
