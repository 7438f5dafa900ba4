import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { startDeadline } from '#base';

/** How long a client whose request is answered already may go on sending it. */
const LINGER_MS = 5_000;

/**
 * Keeps the connection of a request that is answered before its body has been read until the client has sent the body, or for
 * a few seconds. Node would close it with the last byte of the answer; what still arrives then resets the connection, and the
 * client may lose the answer that it has not read yet.
 */
export function lingerAfterAnswer(request: IncomingMessage): void {
  const { socket } = request;
  // Called by node once the answer has been handed to the system.
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
    request.once('end', close).once('close', close).resume();
  };
}
