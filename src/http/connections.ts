import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '#base';

const STATE = Symbol('state');

interface State {
  /** Requests under way; absent before the first. */
  requests?: number;
  /** When it was opened, and when its last request ended. */
  restsSinceMs: number;
  /** Its request is refused: all others are at work. */
  isRefused: boolean;
}

interface Tracked extends Socket {
  [STATE]?: State;
}

/** Connections beyond the limit that are told so; the rest is closed at once. */
const TOLD = 32;
/** Of those that rest this share is closed at a time, so that a flood does not have all of them looked through for each. */
const CLOSED_SHARE = 32;

/**
 * The connections of callers. Where there are as many as there may be, those on which nothing is under way give way to new ones,
 * the longest at rest first; where all are at work, a new one is told to come again.
 */
export class Connections {
  readonly #most: number;
  readonly #all = new Set<Tracked>();

  constructor(server: Server, most = Infinity) {
    this.#most = most;
    if (Number.isFinite(most)) server.maxConnections = most + TOLD;
    server.on('connection', (socket: Tracked) => this.#take(socket));
  }

  begin(socket: Tracked): void {
    const state = socket[STATE];
    if (state) state.requests = (state.requests ?? 0) + 1;
  }

  end(socket: Tracked): void {
    const state = socket[STATE];
    if (!state) return;
    state.requests = (state.requests ?? 1) - 1;
    state.restsSinceMs = systemClock.monotonicMs();
  }

  isRefused(socket: Tracked): boolean {
    return socket[STATE]?.isRefused === true;
  }

  /** Closes those that never carried a request. */
  closeSilent(): void {
    for (const socket of this.#all) if (socket[STATE]?.requests === undefined) socket.destroy();
  }

  #take(socket: Tracked): void {
    const isFull = this.#all.size >= this.#most && !this.#closeResting();
    socket[STATE] = { restsSinceMs: systemClock.monotonicMs(), isRefused: isFull };
    this.#all.add(socket);
    socket.on('close', () => this.#all.delete(socket));
  }

  /** Gives whether there is room now. */
  #closeResting(): boolean {
    const resting = [...this.#all].filter(isResting);
    resting.sort((one, other) => restsSince(one) - restsSince(other));
    const wanted = Math.max(this.#all.size + 1 - this.#most, Math.ceil(resting.length / CLOSED_SHARE));
    for (const socket of resting.slice(0, wanted)) {
      this.#all.delete(socket);
      socket.destroy();
    }
    return this.#all.size < this.#most;
  }
}

/** Nothing is asked on it, and all that was answered is on its way. */
function isResting(socket: Tracked): boolean {
  return (socket[STATE]?.requests ?? 0) === 0 && socket.writableLength === 0;
}

function restsSince(socket: Tracked): number {
  return socket[STATE]?.restsSinceMs ?? 0;
}
