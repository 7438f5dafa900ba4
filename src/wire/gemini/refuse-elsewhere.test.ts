import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import { GatewayError } from '#errors';
import { decodeRequest } from './request/decode-request.ts';
import { refuseGeminiOnly } from './refuse-elsewhere.ts';

/** The request that reaches the other format, or the field that is refused. */
function send(fields: JsonObject): CanonicalRequest | string | undefined {
  const body = { model: 'm', contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], ...fields };
  try {
    return refuseGeminiOnly(decodeRequest(body, undefined));
  } catch (thrown) {
    assert.ok(thrown instanceof GatewayError && thrown.code === 'unsupported_feature');
    return thrown.facts.param;
  }
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
