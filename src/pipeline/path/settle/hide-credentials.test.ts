import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hideCredentials } from './hide-credentials.ts';

const SECRET = 'mcp-secret-8f2c';
const hide = (text: string): string => hideCredentials(Buffer.from(text)).toString();

test('tokens of MCP servers are hidden, in every format, and the rest stays', () => {
  const bodies = [
    { mcp_servers: [{ type: 'url', url: 'https://x', authorization_token: SECRET }], model: 'größe' },
    { tools: [{ type: 'mcp', server_url: 'https://x', authorization: SECRET }] },
    { tools: [{ type: 'mcp', headers: { 'X-Any': SECRET, Authorization: `Bearer ${SECRET}` } }] },
    { tools: [{ type: 'mcp', headers: { type: 'object', 'X-Any': SECRET } }] },
    { mcp_servers: [{ type: 'url', url: `https://mcp.example/sse?v=1&exaApiKey=${SECRET}`, name: 'exa' }] },
    { tools: [{ type: 'mcp', server_url: `https://mcp.example/?token=${SECRET}&more=${SECRET}` }] },
    { tools: [{ type: 'mcp', server_url: `https://user:${SECRET}@mcp.example/mcp` }] },
    { tools: [{ type: 'mcp', headers: { 'x-api-key': `a"${SECRET}\\` } }], after: 1 },
  ];
  for (const body of bodies) {
    for (const text of [JSON.stringify(body), JSON.stringify(body, null, 2)]) {
      const clean = hide(text);
      assert.ok(!clean.includes(SECRET), clean);
      assert.deepEqual(Object.keys(JSON.parse(clean) as object), Object.keys(body));
    }
  }
  assert.ok(hide(JSON.stringify(bodies[0])).includes('größe'));
});

test('a body cut within a token reveals nothing of it', () => {
  const tokens = { headers: { 'X-Any': SECRET }, authorization: SECRET };
  for (const server_url of [`https://a.example/?key=${SECRET}`, `https://u:${SECRET}@a.example/`]) {
    const text = JSON.stringify({ tools: [{ ...tokens, server_url }] });
    for (let length = 0; length <= text.length; length += 1) {
      const clean = hide(text.slice(0, length));
      assert.ok(!clean.includes('mcp-'), clean);
    }
  }
});

test('texts about credentials and schemas with such properties are left unchanged', () => {
  const messages = [{ role: 'user', content: 'send {"authorization": "x"} as "headers": {"a": "b"}' }];
  const headers = { type: 'object', description: 'sent', additionalProperties: { type: 'string' } };
  const tools = [{ name: 'f', input_schema: { properties: { authorization: { type: 'string' }, headers } } }];
  const images = [{ type: 'image_url', image_url: { url: 'https://a.example/a@b.png?w=5&X-Amz-Date=1' } }];
  const text = JSON.stringify({ messages, tools, images });
  assert.equal(hide(text), text);
});

test('headers of any number and size are hidden: the first one by one, the others as a whole', () => {
  const size = 8_000_000;
  const texts = {
    objects: `"headers":{"a":"${SECRET}"}`.repeat(size / 40),
    'values of one object': `"headers":{${`"a":"${SECRET}",`.repeat(size / 22)}}`,
    'values without names': `"headers":{${':"'.repeat(size / 2)}${SECRET}`,
    names: `"headers":{${'"type":'.repeat(size / 7)}"${SECRET}`,
  };
  for (const [name, text] of Object.entries(texts)) {
    const clean = hideCredentials(Buffer.from(text)).toString();
    assert.ok(!clean.includes(SECRET), name);
    const oneByOne = clean.split('"a":"[hidden]"').length - 1;
    assert.ok(oneByOne < 10_000, `${name}: ${oneByOne} values of hundreds of thousands`);
  }
});
