import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { startDeadline } from '#base';
import { paceReading } from './pace-reading.ts';

/** How long a client may keep sending a request that is already answered. */
const LINGER_MS = 5_000;

/**
 * Keeps the connection of a request answered before its body was read, until the client has sent the body or a few
 * seconds have passed. Node would close it with the last byte of the answer; data still arriving would reset the
 * connection, and the client might lose an answer it has not read yet.
 */
export function lingerAfterAnswer(request: IncomingMessage): void {
  const { socket } = request;
  // Called by Node once the answer has been handed to the operating system.
  socket.destroySoon = () => {
    const close = (): void => {
      deadline.stop();
      Socket.prototype.destroySoon.call(socket);
    };
    const deadline = startDeadline(LINGER_MS, () => socket.destroy());
    socket.once('close', () => deadline.stop());
    if (request.complete) {
      close();
      return;
    }
    socket.end();
    paceReading(request);
    request.once('end', close).once('close', close).resume();
  };
}
