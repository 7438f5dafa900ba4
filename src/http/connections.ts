import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { systemClock } from '#base';

const STATE = Symbol('state');

interface State {
  /** Open requests; absent before the first. */
  requests?: number;
  /** When it was opened, or when its last request ended. */
  idleSinceMs: number;
  /** The answer to its last request. */
  answer?: ServerResponse;
  /** Its request is refused because all other connections are busy. */
  isRefused: boolean;
}

interface Tracked extends Socket {
  [STATE]?: State;
}

type Stated = Duplex & Pick<Tracked, typeof STATE>;

/** Connections beyond the limit that get an error; the rest is closed at once. */
const REFUSED_BEYOND = 32;
/** The share of idle connections closed at a time, so that a flood does not scan all of them for each new one. */
const CLOSED_SHARE = 32;

/**
 * The connections of callers. At the limit, new ones replace idle ones, longest idle first; if all are busy, a new
 * one is refused and should retry.
 */
export class Connections {
  readonly #most: number;
  readonly #all = new Set<Tracked>();

  constructor(server: Server, most = Infinity) {
    this.#most = most;
    if (Number.isFinite(most)) server.maxConnections = most + REFUSED_BEYOND;
    server.on('connection', (socket: Tracked) => this.#take(socket));
  }

  begin(socket: Tracked, answer: ServerResponse): void {
    const state = socket[STATE];
    if (!state) return;
    state.requests = (state.requests ?? 0) + 1;
    state.answer = answer;
  }

  /** The answer to the last request of a connection. */
  answerOf(socket: Stated): ServerResponse | undefined {
    return socket[STATE]?.answer;
  }

  end(socket: Tracked): void {
    const state = socket[STATE];
    if (!state) return;
    state.requests = (state.requests ?? 1) - 1;
    state.idleSinceMs = systemClock.monotonicMs();
  }

  isRefused(socket: Tracked): boolean {
    return socket[STATE]?.isRefused === true;
  }

  /** Closes connections that have been idle for so long, also those that never carried a request. */
  closeIdle(idleMs: number): void {
    const beforeMs = systemClock.monotonicMs() - idleMs;
    for (const socket of this.#all) if (isIdle(socket) && idleSince(socket) <= beforeMs) socket.destroy();
  }

  #take(socket: Tracked): void {
    const isFull = this.#all.size >= this.#most && !this.#makeRoom();
    socket[STATE] = { idleSinceMs: systemClock.monotonicMs(), isRefused: isFull };
    this.#all.add(socket);
    socket.on('close', () => this.#all.delete(socket));
  }

  /** Returns whether there is room now. */
  #makeRoom(): boolean {
    const idle = [...this.#all].filter(isIdle);
    idle.sort((one, other) => idleSince(one) - idleSince(other));
    const wanted = Math.max(this.#all.size + 1 - this.#most, Math.ceil(idle.length / CLOSED_SHARE));
    for (const socket of idle.slice(0, wanted)) {
      this.#all.delete(socket);
      socket.destroy();
    }
    return this.#all.size < this.#most;
  }
}

/** No request is open, and all answers have been sent. */
function isIdle(socket: Tracked): boolean {
  return (socket[STATE]?.requests ?? 0) === 0 && socket.writableLength === 0;
}

function idleSince(socket: Tracked): number {
  return socket[STATE]?.idleSinceMs ?? 0;
}
