import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

const CHECK_EVERY_MS = 200;

/** One address for several gateways: each new connection goes to the next that is ready, as behind any load balancer. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Connections for which no gateway was ready. */
  readonly unserved: number;
  add(url: string): void;
  remove(url: string): void;
  isReady(url: string): boolean;
}

export async function openBalancer(): Promise<Balancer> {
  const ready = new Map<string, boolean>();
  const sockets = new Set<Socket>();
  let turn = 0;
  let unserved = 0;
  const server = createServer((near) => {
    const chosen = [...ready].filter(([, isReady]) => isReady).map(([url]) => url);
    turn += 1;
    const url = chosen[turn % Math.max(1, chosen.length)];
    if (url === undefined) {
      unserved += 1;
      near.destroy();
      return;
    }
    const far = connect({ host: '127.0.0.1', port: Number(new URL(url).port), noDelay: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  const check = async (url: string): Promise<void> => {
    const status = await fetch(`${url}/readyz`).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
    if (ready.has(url)) ready.set(url, status === 200);
  };
  const timer = setInterval(() => {
    for (const url of ready.keys()) void check(url);
  }, CHECK_EVERY_MS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get unserved() {
      return unserved;
    },
    add: (url) => void ready.set(url, false),
    remove: (url) => void ready.delete(url),
    isReady: (url) => ready.get(url) === true,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
