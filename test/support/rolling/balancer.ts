import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

const CHECK_EVERY_MS = 200;
const READY = '200';

/** One address for several gateways: each new connection goes to the next that is ready, as behind any load balancer. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Of each connection for which no gateway was ready, what they answered. */
  readonly unserved: readonly string[];
  add(url: string): void;
  remove(url: string): void;
  isReady(url: string): boolean;
}

export async function openBalancer(): Promise<Balancer> {
  /** What each answered last. */
  const states = new Map<string, string>();
  const sockets = new Set<Socket>();
  let turn = 0;
  const unserved: string[] = [];
  const server = createServer((near) => {
    const chosen = [...states].filter(([, state]) => state === READY).map(([url]) => url);
    turn += 1;
    const url = chosen[turn % Math.max(1, chosen.length)];
    if (url === undefined) {
      unserved.push([...states].map(([one, state]) => `${one} ${state}`).join(', '));
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
    const state = await fetch(`${url}/readyz`).then(
      async (response) => {
        const text = await response.text();
        return response.status === 200 ? READY : `${response.status} ${text}`;
      },
      (error: unknown) => String(error),
    );
    if (states.has(url)) states.set(url, state);
  };
  const timer = setInterval(() => {
    for (const url of states.keys()) void check(url);
  }, CHECK_EVERY_MS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    unserved,
    add: (url) => void states.set(url, 'not asked yet'),
    remove: (url) => void states.delete(url),
    isReady: (url) => states.get(url) === READY,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
