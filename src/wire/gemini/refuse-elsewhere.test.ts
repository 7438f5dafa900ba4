import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import { CHAT_DIALECT, type CanonicalRequest } from '#canonical';
import { GatewayError } from '#errors';
import type { OutboundFormat } from '../contract.ts';
import { decodeRequest } from './decode-request.ts';
import { geminiOutbound } from './outbound.ts';
import { refusingGeminiOnly } from './refuse-elsewhere.ts';

const TARGET = { providerId: 'p', externalId: 'm', dialect: CHAT_DIALECT, reasoning: false };

/** The request that reaches the other format, or the field that is refused. */
function send(fields: JsonObject): CanonicalRequest | string | undefined {
  let seen: CanonicalRequest | undefined;
  const format: OutboundFormat = {
    ...geminiOutbound,
    openExchange(request, target) {
      seen = request;
      return geminiOutbound.openExchange(request, target);
    },
  };
  const body = { model: 'm', contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], ...fields };
  try {
    refusingGeminiOnly(format).openExchange(decodeRequest(body, undefined), TARGET);
  } catch (thrown) {
    assert.ok(thrown instanceof GatewayError && thrown.code === 'unsupported_feature');
    return thrown.facts.param;
  }
  return seen;
}

test('tools that run at Google are refused by name, but for a search, which is left out', () => {
  for (const name of ['codeExecution', 'urlContext', 'url_context', 'fileSearch'])
    assert.equal(send({ tools: [{ [name]: {} }] }), `tools.${name}`);
  for (const name of ['googleSearch', 'google_search', 'googleSearchRetrieval']) {
    const request = send({ tools: [{ functionDeclarations: [{ name: 'f' }] }, { [name]: {} }] });
    assert.ok(typeof request === 'object');
    assert.deepEqual(
      request.tools.map((tool) => tool.name),
      ['f'],
    );
  }
});

test('a request for log probabilities is refused, one for none is not', () => {
  assert.equal(send({ generationConfig: { responseLogprobs: true } }), 'generationConfig.responseLogprobs');
  assert.equal(typeof send({ generationConfig: { responseLogprobs: false } }), 'object');
});
