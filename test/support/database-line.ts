import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** A proxy to a database that a test can cut, hold and restore: it simulates network failures for a gateway. */
export interface DatabaseLine extends AsyncDisposable {
  readonly port: number;
  /** How many connections are open. */
  readonly connections: number;
  /** Ends every connection and refuses new ones. */
  cut(): void;
  /** Keeps every connection open without forwarding anything: the store is unresponsive. */
  hold(): void;
  /** Stops forwarding on every current connection, permanently and without closing it; new ones work. */
  lose(): void;
  /** Ends the connection that next sends a statement or an answer, with only these bytes of it forwarded. */
  cutWithin(what: 'statement' | 'answer', bytes: number): void;
  mend(): void;
}

/** Listens on 127.0.0.1 and forwards every connection to a local socket or port. */
export async function openDatabaseLine(target: string | number): Promise<DatabaseLine> {
  const pairs = new Set<[Socket, Socket]>();
  const lost = new Set<[Socket, Socket]>();
  const cuts: Cuts = { statement: undefined, answer: undefined };
  let state: 'whole' | 'cut' | 'held' = 'whole';
  const server = createServer((near) => {
    if (state === 'cut') {
      near.on('error', () => undefined);
      near.resetAndDestroy();
      return;
    }
    const far = typeof target === 'string' ? connect({ path: target }) : connect({ port: target });
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    join(pair, cuts, () => pairs.delete(pair) || lost.delete(pair));
    if (state === 'held') for (const end of pair) end.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    state = 'cut';
    for (const pair of [...pairs, ...lost]) for (const end of pair) end.destroy();
  };
  const setFlow = (next: 'whole' | 'held'): void => {
    state = next;
    for (const pair of pairs) for (const end of pair) end[next === 'held' ? 'pause' : 'resume']();
  };
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return pairs.size + lost.size;
    },
    cut,
    hold: () => setFlow('held'),
    lose: () => {
      for (const pair of pairs) {
        pairs.delete(pair);
        lost.add(pair);
        for (const end of pair) end.pause();
      }
    },
    cutWithin: (what, bytes) => void (cuts[what] = bytes),
    mend: () => setFlow('whole'),
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The bytes after which the next connection ends. */
type Cuts = Record<'statement' | 'answer', number | undefined>;

/** Forwards bytes both ways; the end of one side ends the other. */
function join([near, far]: [Socket, Socket], cuts: Cuts, onClose: () => unknown): void {
  for (const [what, from, to] of [
    ['statement', near, far],
    ['answer', far, near],
  ] as const) {
    from.on('data', (bytes) => {
      const cut = cuts[what];
      cuts[what] = undefined;
      if (cut === undefined) to.write(bytes);
      else to.end(bytes.subarray(0, cut), () => from.destroy());
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      to.destroy();
      onClose();
    });
  }
}
