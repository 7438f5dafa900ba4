import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHAT_DIALECT, type ClientFormatId } from '#canonical';
import { GatewayError } from '#errors';
import { createForeignRequest } from '../../test/support/foreign-request.ts';
import type { OutboundFormat } from './contract.ts';
import { withCallerFields } from './caller-fields.ts';

const TARGET = { providerId: 'p', externalId: 'm', dialect: CHAT_DIALECT, reasoning: false };

function paramFor(format: ClientFormatId, thrown: Error): unknown {
  const refusing: OutboundFormat = {
    id: 'chat',
    openExchange: () => {
      throw thrown;
    },
    decodeFailure: () => ({ kind: 'broken', message: '' }),
  };
  try {
    withCallerFields(refusing).openExchange(createForeignRequest({ origin: { format, body: {} } }), TARGET);
  } catch (error) {
    return error instanceof GatewayError ? error.facts.param : error;
  }
  return 'nothing was thrown';
}

test('a refusal names the field as the caller calls it', () => {
  const refuse = (param: string) => new GatewayError('unsupported_feature', 'no', { param });
  assert.equal(paramFor('gemini', refuse('messages')), 'contents');
  assert.equal(paramFor('responses', refuse('messages')), 'input');
  assert.equal(paramFor('chat', refuse('input')), 'messages');
  assert.equal(paramFor('messages', refuse('tools')), 'tools');
});

test('other errors are rethrown unchanged', () => {
  const stranger = new Error('a fault');
  assert.equal(paramFor('gemini', stranger), stranger);
});
