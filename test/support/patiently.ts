import { toGatewayError } from '#errors';
import { until } from './until.ts';

/** Repeats work with a database: on a busy machine a connection may take longer than a gateway waits for one. */
export async function patiently<Value>(work: () => Promise<Value>): Promise<Value> {
  const done: Value[] = [];
  await until('the database answers', async () => {
    try {
      done.push(await work());
      return true;
    } catch (error) {
      if (toGatewayError(error).code === 'store_unavailable') return false;
      throw error;
    }
  });
  return done[0] as Value;
}
