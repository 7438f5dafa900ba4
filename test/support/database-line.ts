import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** A wire to a database that a test can cut, hold and mend: what a gateway sees when its store goes away. */
export interface DatabaseLine extends AsyncDisposable {
  readonly port: number;
  /** Ends every connection and refuses new ones. */
  cut(): void;
  /** Keeps every connection open and carries nothing: the store is there and says no word. */
  hold(): void;
  /** Keeps every connection there is open and carries nothing on it ever again; new ones are whole. */
  lose(): void;
  mend(): void;
}

/** Listens on 127.0.0.1 and carries every connection to a socket of this machine. */
export async function openDatabaseLine(path: string): Promise<DatabaseLine> {
  const pairs = new Set<[Socket, Socket]>();
  const lost = new Set<[Socket, Socket]>();
  let state: 'whole' | 'cut' | 'held' = 'whole';
  const server = createServer((near) => {
    if (state === 'cut') {
      near.on('error', () => undefined);
      near.resetAndDestroy();
      return;
    }
    const pair: [Socket, Socket] = [near, connect({ path })];
    pairs.add(pair);
    join(pair, () => pairs.delete(pair) || lost.delete(pair));
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
    cut,
    hold: () => setFlow('held'),
    lose: () => {
      for (const pair of pairs) {
        pairs.delete(pair);
        lost.add(pair);
        for (const end of pair) end.pause();
      }
    },
    mend: () => setFlow('whole'),
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Carries bytes both ways; the end of one side is the end of the other. */
function join([near, far]: [Socket, Socket], onClose: () => unknown): void {
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on('data', (bytes) => to.write(bytes));
    from.on('error', () => undefined);
    from.on('close', () => {
      to.destroy();
      onClose();
    });
  }
}
