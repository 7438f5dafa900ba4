import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type InProcessGateway, openInProcess } from '../support/in-process.ts';
import { answer } from '../support/upstream-replies.ts';

/** Longer than a request waits for PostgreSQL by default. */
const HALT_MS = 1_800;
const CHAT = '/v1/chat/completions';
const ASK = { model: 'chat-model', max_tokens: 8, messages: [{ role: 'user', content: 'hello' }] };

/** The status of a request that begins while PostgreSQL is silent. */
async function askDuringHalt(gateway: InProcessGateway): Promise<number> {
  gateway.upstream.script({ reply: answer({ text: 'hello', chunks: 1 }) });
  gateway.line.hold();
  const asking = gateway.post(CHAT, ASK);
  await sleep(HALT_MS);
  gateway.line.mend();
  const response = await asking;
  await response.arrayBuffer();
  return response.status;
}

test('a request waits for PostgreSQL as long as SLUICE_DATABASE_WAIT_MS says', async () => {
  await using patient = await openInProcess({ env: { SLUICE_DATABASE_WAIT_MS: '30000' } });
  assert.equal(await askDuringHalt(patient), 200);
  await using impatient = await openInProcess({ env: { SLUICE_DATABASE_WAIT_MS: '200' } });
  assert.equal(await askDuringHalt(impatient), 503);
});
