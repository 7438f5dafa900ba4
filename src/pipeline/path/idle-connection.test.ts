import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { queryObjects } from 'node:v8';
import { openInProcess } from '../../../test/support/in-process.ts';
import { until } from '../../../test/support/until.ts';
import { Trip } from '../request/trip.ts';

const CONNECTIONS = 5;

test('an idle connection retains nothing of its last request, JSON or stream', async () => {
  await using gateway = await openInProcess();
  const { apiKey } = await gateway.createAccount();
  const agent = new Agent({ keepAlive: true });
  const ask = async (stream: boolean): Promise<void> => {
    const asked = request(`${gateway.url}/v1/chat/completions`, {
      agent,
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    });
    const messages = [{ role: 'user', content: 'hello' }];
    asked.end(JSON.stringify({ model: 'local/echo', messages, stream }));
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    await response.resume().toArray();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, at) => ask(at % 2 === 0)));
  await until('nothing of them is kept', () => queryObjects(Trip) === 0, 100);
  assert.equal(Object.values(agent.freeSockets).flat().length, CONNECTIONS, 'the connections are open');
  agent.destroy();
});
