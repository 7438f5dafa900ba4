import type { Reply } from './arrival.ts';

type Connection = Pick<Reply, 'onGone' | 'offGone'>;

/** Runs work, and calls `leave` if the caller disconnects before it is done. */
export async function whileConnected<Value>(
  reply: Connection,
  leave: () => void,
  work: Promise<Value>,
): Promise<Value> {
  reply.onGone(leave);
  try {
    return await work;
  } finally {
    reply.offGone(leave);
  }
}

/** Waits until this time has passed or the caller has disconnected. */
export function waitWhileConnected(reply: Connection, ms: number): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => resolve(undefined);
  const timer = setTimeout(end, ms);
  return whileConnected(reply, end, promise).finally(() => clearTimeout(timer));
}
