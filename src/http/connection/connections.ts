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
  /** Whether it has a request that is not refused. */
  isBusy?: boolean;
  /** Its request is refused because enough other connections have one. */
  isRefused?: boolean;
}

interface Tracked extends Socket {
  [STATE]?: State;
}

type Stated = Duplex & Pick<Tracked, typeof STATE>;

/** Connections beyond the limit whose requests get an error if all others are busy; the rest is closed at once. */
const BEYOND = 32;
/** A connection that has been idle for less is likely to carry a request soon, so it is not closed. */
const FRESH_MS = 1_000;
/** The share of idle connections closed at a time, so that a flood does not scan all of them for each new one. */
const CLOSED_SHARE = 32;

/**
 * The connections of callers. At the limit, new ones replace idle ones, longest idle first; if as many are busy, a
 * further request is refused and should be retried.
 */
export class Connections {
  readonly #most: number;
  readonly #all = new Set<Tracked>();
  /** Open connections with a request that is not refused. */
  #busy = 0;

  constructor(server: Server, most = Infinity) {
    this.#most = most;
    if (Number.isFinite(most)) server.maxConnections = most + BEYOND;
    server.on('connection', (socket: Tracked) => this.#take(socket));
  }

  begin(socket: Tracked, answer: ServerResponse): void {
    const state = socket[STATE];
    if (!state) return;
    state.requests = (state.requests ?? 0) + 1;
    state.answer = answer;
    if (state.requests > 1) return;
    state.isRefused = this.#busy >= this.#most;
    if (state.isRefused) return;
    state.isBusy = true;
    this.#busy += 1;
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
    if (state.requests === 0) this.#release(state);
  }

  isRefused(socket: Tracked): boolean {
    return socket[STATE]?.isRefused === true;
  }

  /** Closes connections that have been idle for this long, also those that never carried a request. */
  closeIdle(idleMs: number): void {
    const beforeMs = systemClock.monotonicMs() - idleMs;
    for (const socket of this.#all) if (isIdle(socket) && idleSince(socket) <= beforeMs) socket.destroy();
  }

  #take(socket: Tracked): void {
    const state: State = { idleSinceMs: systemClock.monotonicMs() };
    socket[STATE] = state;
    this.#all.add(socket);
    socket.on('close', () => {
      this.#all.delete(socket);
      this.#release(state);
    });
    const beyond = this.#all.size - this.#most;
    if (beyond > 0) this.#makeRoom(beyond, beyond > BEYOND / 2 ? 0 : FRESH_MS);
  }

  /** Its request has ended, or its client has disconnected. */
  #release(state: State): void {
    if (!state.isBusy) return;
    state.isBusy = false;
    this.#busy -= 1;
  }

  /** Closes at least so many of the connections that have been idle for this long. */
  #makeRoom(count: number, idleMs: number): void {
    const beforeMs = systemClock.monotonicMs() - idleMs;
    const idle = [...this.#all].filter((socket) => isIdle(socket) && idleSince(socket) <= beforeMs);
    idle.sort((one, other) => idleSince(one) - idleSince(other));
    for (const socket of idle.slice(0, Math.max(count, Math.ceil(idle.length / CLOSED_SHARE)))) {
      this.#all.delete(socket);
      socket.destroy();
    }
  }
}

/** No request is open, and all answers have been sent. */
function isIdle(socket: Tracked): boolean {
  return (socket[STATE]?.requests ?? 0) === 0 && socket.writableLength === 0;
}

function idleSince(socket: Tracked): number {
  return socket[STATE]?.idleSinceMs ?? 0;
}
