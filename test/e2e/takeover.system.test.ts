import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, EXPORT_LOCK } from '#storage';
import { openPatiently } from '../support/open-patiently.ts';
import { ExportReceiver, RECEIVER_SECRET } from '../support/export-receiver.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type SharedDatabase, createSharedDatabase } from '../support/shared-server.ts';
import { until } from '../support/until.ts';

const addressOf = ({ connection: { host, port, user, password, database } }: SharedDatabase): string =>
  `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${database}`;

async function ask({ url }: Gateway, apiKey: string): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'local/echo', messages: [{ role: 'user', content: 'hello' }] }),
  });
  assert.equal(response.status, 200, await response.text());
  return response.headers.get('x-request-id') ?? '';
}

const connectTo = ({ connection }: SharedDatabase): Database =>
  openPatiently({ connection, applicationName: 'test', maxConnections: 1 });

/** The ids of the rows of all batches. */
const listRows = ({ requests }: ExportReceiver): string[] =>
  requests.flatMap(({ body }) => {
    const { data } = JSON.parse(body.toString()) as { data: { id: string }[] };
    return data.map(({ id }) => id);
  });

test('when the gateway that exports and alerts is killed, another one goes on: nothing is missing, what is repeated has its id', async () => {
  await using shared = await createSharedDatabase();
  await using warehouse = await ExportReceiver.start();
  await using operator = await ExportReceiver.start();
  const config = `exports: [{ name: warehouse, type: http, url: "${warehouse.url}", batch: { seconds: 0 } }]
alerts: { url: "${operator.url}", secret: "${RECEIVER_SECRET}" }
`;
  const env = { DATABASE_URL: addressOf(shared), SLUICE_SECRET: 'a secret of thirty-two characters' };
  await using first = await startGateway({ config, env });
  const { apiKey } = first;
  const asked = [await ask(first, apiKey)];
  await until('the first row is exported', () => listRows(warehouse).includes(asked[0] ?? ''));
  operator.mode = 'silent';
  assert.equal((await first.cli('alerts', 'test')).code, 0);
  await until('the first gateway has posted the alert', () => operator.requests.length === 1);
  await using second = await startGateway({ config, env });
  warehouse.mode = 'silent';
  asked.push(await ask(second, apiKey));
  await until('the first gateway has sent a batch', () => warehouse.requests.length === 2);
  await first.kill();
  warehouse.mode = 'accepting';
  operator.mode = 'accepting';
  asked.push(await ask(second, apiKey));
  await until('the second gateway exports', () => asked.every((id) => listRows(warehouse).includes(id)));
  const [, unanswered, repeated] = warehouse.requests;
  assert.ok(unanswered && repeated);
  assert.equal(repeated.id, unanswered.id);
  assert.deepEqual(repeated.body, unanswered.body);
  // The claim of a process that died ends after a minute.
  const database = connectTo(shared);
  await database.query({ text: 'UPDATE alert_event SET leased_until = now()' });
  await database.close();
  await until('the second gateway alerts', () => operator.requests.length === 2);
  assert.equal(operator.requests[1]?.id, operator.requests[0]?.id);
});

test('an export has every row since the start of the gateway, however late a process can export', async () => {
  await using shared = await createSharedDatabase();
  await using warehouse = await ExportReceiver.start();
  const config = `exports: [{ name: warehouse, type: http, url: "${warehouse.url}", batch: { seconds: 0 } }]\n`;
  const database = connectTo(shared);
  const exporter = await database.openSession('the process that exports');
  await exporter.query({ text: `SELECT pg_advisory_lock(${EXPORT_LOCK})` });
  await using gateway = await startGateway({ config, env: { DATABASE_URL: addressOf(shared) } });
  const asked = await ask(gateway, gateway.apiKey);
  await until('the row is stored', async () => {
    const { rows } = await database.query({ text: 'SELECT FROM request_log WHERE position IS NOT NULL' });
    return rows.length === 1;
  });
  await exporter.close();
  await until('the row is exported', () => listRows(warehouse).includes(asked));
  await database.close();
});
