import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InProcessGateway } from './in-process.ts';
import { assertFreeRow, assertRefused } from './refusal.ts';
import { type Reply, fail, overloaded } from './upstream-replies.ts';

interface OpenaiSurface {
  gateway(): InProcessGateway;
  format: 'chat' | 'responses';
  ask(reply: Reply): Promise<Response>;
}

/** Tests of what providers refuse, at an endpoint with errors in the shape of OpenAI. */
export function proveOpenaiRefusals({ gateway, format, ask }: OpenaiSurface): void {
  const isPassedOn = async (status: number, code: string, message: string): Promise<void> => {
    const response = await ask(fail(status, code, { message }));
    assert.equal(response.status, status);
    assert.deepEqual(await response.json(), { error: { message, type: code, param: 'body', code } });
    assertFreeRow(await gateway().getRow(response), { status, code: 'request_refused' });
  };

  test('400: passes on a refusal of the provider with its message, type, param and code, at cost 0', () =>
    isPassedOn(400, 'context_length_exceeded', 'too long'));

  test('409: passes on the message of a conflict at the provider', () =>
    isPassedOn(409, 'conflict', 'changed meanwhile'));

  test('422: passes on the provider’s message for a request it cannot process', () =>
    isPassedOn(422, 'invalid', 'temperature: too hot'));

  test('503: a provider that is overloaded', async () => {
    for (const status of [529, 503] as const) {
      const response = await ask(overloaded(status));
      await assertRefused(gateway(), response, { format, status: 503, code: 'upstream_overloaded' });
    }
  });
}
