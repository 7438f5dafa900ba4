import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFUSING, INSIDE_NAMES, INSIDE_V4, INSIDE_V6 } from '../../../test/support/inside-addresses.ts';
import { type AddressRules, STRICT_ADDRESSES, parseOutsideUrl } from './outside-url.ts';
import { isPublicAddress } from './public-address.ts';

const read = (text: string, rules: AddressRules = STRICT_ADDRESSES) => parseOutsideUrl(text, rules);
const isRefused = (text: string, rules?: AddressRules) => 'expected' in read(text, rules);

test('no spelling of a private address passes as a public one', () => {
  const hosts = [...INSIDE_V4, ...INSIDE_V6.map((address) => `[${address}]`), ...INSIDE_NAMES];
  const texts = [...hosts.map((host) => `https://${host}/v1`), ...CONFUSING];
  assert.ok(texts.length >= 120, `${texts.length}`);
  assert.deepEqual(
    texts.filter((text) => !isRefused(text)),
    [],
  );
  for (const host of hosts) assert.ok(isRefused(`https:///${host}/v1`), `three slashes before ${host}`);
});

test('an outside address is read as a client reads it', () => {
  const cases: [string, string][] = [
    ['https://api.example.com', 'https://api.example.com/'],
    ['https://API.Example.COM/v1/', 'https://api.example.com/v1/'],
    ['https://api.example.com:443/v1', 'https://api.example.com/v1'],
    ['https://api.example.com/a/../v1', 'https://api.example.com/v1'],
    ['https://8.8.8.8/v1', 'https://8.8.8.8/v1'],
    ['https://134744072/v1', 'https://8.8.8.8/v1'],
    ['https://[2606:4700::1111]/v1', 'https://[2606:4700::1111]/v1'],
  ];
  for (const [text, href] of cases) {
    const result = read(text);
    assert.equal('url' in result ? result.url.href : result.expected, href);
  }
});

test('the operator opens ports for all hosts, and hosts with everything', () => {
  const rules: AddressRules = {
    ports: [443, 8443],
    trustedHosts: ['127.0.0.1:9000', 'LLM.corp', '[::1]:9000'],
  };
  for (const text of [
    'https://api.example.com:8443/v1',
    'http://127.0.0.1:9000/v1',
    'https://127.0.0.1:9000/v1',
    'http://llm.corp/v1',
    'http://llm.corp:1234/v1',
    'http://[::1]:9000/v1',
  ])
    assert.ok(!isRefused(text, rules), text);
  for (const text of [
    'http://127.0.0.1/v1',
    'http://127.0.0.1:9001/v1',
    'https://127.0.0.1:8443/v1',
    'http://other.llm.corp/v1',
    'http://llm.corp.example.com/v1',
    'http://user@llm.corp/v1',
    'http://api.example.com:8443/v1',
  ])
    assert.ok(isRefused(text, rules), text);
});

test('what is no address is not public', () => {
  for (const text of ['', 'localhost', '1.2.3', '8.8.8.8:443', '[2606:4700::1111]', '::g'])
    assert.ok(!isPublicAddress(text), text);
  for (const text of [
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '2606:4700::1111',
    '2a00::1',
  ])
    assert.ok(isPublicAddress(text), text);
});
