import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AddressRules, STRICT_ADDRESSES, parseOutsideUrl } from './outside-url.ts';
import { isPublicAddress } from './public-address.ts';

const read = (text: string, rules: AddressRules = STRICT_ADDRESSES) => parseOutsideUrl(text, rules);
const isRefused = (text: string, rules?: AddressRules) => 'expected' in read(text, rules);

/** Ways to write 127.0.0.1, 169.254.169.254, 10.0.0.1, 192.168.0.1, 0.0.0.0 and other inside addresses of IPv4. */
const INSIDE_V4 = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '0177.0x0.1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '0',
  '0.0.0.0',
  '0x0',
  '00000000',
  '10.0.0.1',
  '10.1',
  '167772161',
  '0x0a000001',
  '012.0.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '0xa9.0xfe.0xa9.0xfe',
  '169.254.43518',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.1',
  '0300.0250.0.1',
  '3232235521',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '4294967295',
];
const INSIDE_V6 = [
  '::1',
  '::',
  '0:0:0:0:0:0:0:1',
  '0000:0000:0000:0000:0000:0000:0000:0001',
  '::127.0.0.1',
  '::7f00:1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::FFFF:10.0.0.1',
  '0:0:0:0:0:ffff:7f00:0001',
  '::ffff:0:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2002:c0a8:1::1',
  '2620:4f:8000::1',
  '3fff::1',
  '3ffe::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff::1',
  'fe80::1',
  'fe80::1%25eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'ff0e::1',
  '4000::1',
];
const INSIDE_NAMES = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'localhost.localdomain.local',
  'metadata',
  'metadata.google.internal',
  'METADATA.GOOGLE.INTERNAL',
  'metadata.google.internal.',
  'instance-data.ec2.internal',
  'printer.local',
  'printer.LOCAL',
  'router.lan',
  'nas.home',
  'nas.home.arpa',
  'db.corp',
  'x.intranet',
  'abc.onion',
  'postgres',
  'api.example.com.',
  '.example.com',
  'exa mple.com',
  'example..com',
];
/** What parsers read differently: who of them is right does not matter, none of it is read. */
const CONFUSING = [
  'https://user@api.example.com/v1',
  'https://user:pass@api.example.com/v1',
  'https://api.example.com@127.0.0.1/',
  'https://127.0.0.1@api.example.com/',
  'https://api.example.com:443@127.0.0.1/',
  'https://api.example.com\\@127.0.0.1/',
  'https://127.0.0.1\\@api.example.com/',
  'https:\\\\127.0.0.1\\',
  'https://127.0.0.1\\.api.example.com/',
  'https://api.example.com#@127.0.0.1/',
  'https://127.0.0.1#api.example.com/',
  'https://127.0.0.1?api.example.com/',
  'https://api.example.com/v1?x=1',
  'https://api.example.com/v1?',
  'https://api.example.com/v1#x',
  'https://api.example.com/v1#',
  'https://①②⑦.⓪.⓪.①/',
  'https://127。0。0。1/',
  'https://127．0．0．1/',
  'https://127｡0｡0｡1/',
  'https://ⓛocalhost/',
  'https://ｌｏｃａｌｈｏｓｔ/',
  'https://examp\u00adle.com/',
  'https://api.example.com\u0000.evil/',
  'https://api.example.com\t/',
  'https://api.example.com\r\nhost: x/',
  ' https://api.example.com/',
  'https:api.example.com',
  'https:/api.example.com',
  '//api.example.com/v1',
  'api.example.com/v1',
  'http://api.example.com/v1',
  'ftp://api.example.com/',
  'file:///etc/passwd',
  'gopher://api.example.com/',
  'data:text/plain,x',
  'javascript:alert(1)',
  'unix:///var/run/docker.sock',
  'https://',
  'https:///',
  'https://:443/',
  'https://[::1/',
  'https://[]/',
  'https://256.256.256.256/',
  'https://0x100000000/',
  'https://api.example.com:80/v1',
  'https://api.example.com:8443/v1',
  'https://api.example.com:22/v1',
  'https://api.example.com:0/v1',
  'https://api.example.com:65536/v1',
  'https://api.example.com:99999/',
  'https://api.example.com:a/',
  `https://api.example.com/${'x'.repeat(500)}`,
  '',
];

test('no way to write an inside address is taken for an outside one', () => {
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
