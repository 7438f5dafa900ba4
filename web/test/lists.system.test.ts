import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTimes } from '../src/models/calculator-search.ts';
import { describeBrowser } from '../src/parts/describe-browser.ts';
import { insertRows } from '../src/requests/insert-rows.ts';
import { readRequestsSearch, toLogQuery } from '../src/requests/requests-search.ts';
import { chooseCommands } from '../src/shell/commands.ts';

const row = (id: string, second: number) => ({ id, started_at: new Date(second * 1_000).toISOString() });
const page = (has_more: boolean, ...data: ReturnType<typeof row>[]) => ({
  data,
  has_more,
  last_id: data.at(-1)?.id ?? null,
});
const idsOf = ({ data }: { data: readonly { id: string }[] }) => data.map(({ id }) => id);

test('a request that has ended takes its place among the newest, once, and none of a later page does', () => {
  const old = page(true, row('d', 40), row('b', 20));
  const next = insertRows(old, [row('e', 50), row('c', 30), row('a', 10), row('d', 40)]);
  assert.deepEqual([idsOf(next), next.has_more, next.last_id], [['e', 'd', 'c', 'b'], true, 'b']);
  const whole = insertRows(page(false, row('b', 20)), [row('a', 10)]);
  assert.deepEqual([idsOf(whole), whole.has_more, whole.last_id], [['b', 'a'], false, 'a']);
  assert.deepEqual(idsOf(insertRows(page(false), [row('a', 10)])), ['a']);
});

test('the newest page keeps 500 requests, and those beyond are of a later page', () => {
  const rows = Array.from({ length: 600 }, (_, index) => row(`r${index}`, index));
  const next = insertRows(page(false), rows);
  assert.deepEqual(
    [next.data.length, next.has_more, next.data[0]?.id, next.last_id],
    [500, true, 'r599', 'r100'],
  );
});

test('the address of the requests keeps known filters, and a span is counted back from now', () => {
  const search = readRequestsSearch({ model: ' m ', key_id: 7, range: 'day', since: '2020-01-01', odd: 'x' });
  assert.deepEqual(search, { model: 'm', key_id: '7', range: 'day' });
  assert.deepEqual(toLogQuery(search, Date.parse('2026-03-02T00:00:00Z')), {
    model: 'm',
    key_id: '7',
    since: '2026-03-01T00:00:00.000Z',
  });
  assert.deepEqual(readRequestsSearch({ since: 'never', until: '2026-01-01T00:00:00Z', live: false }), {
    live: false,
    until: '2026-01-01T00:00:00Z',
  });
});

test('a browser is named with its system, and another client by its first word', () => {
  const mozilla = (system: string, rest: string): string => `Mozilla/5.0 (${system}) ${rest}`;
  const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  for (const [agent, name] of [
    [mozilla('X11; Linux x86_64', chrome), 'Chrome 140 on Linux'],
    [mozilla('Windows NT 10.0; Win64; x64', `${chrome} Edg/140.0.0.0`), 'Edge 140 on Windows'],
    [mozilla('X11; Linux x86_64; rv:140.0', 'Gecko/20100101 Firefox/140.0'), 'Firefox 140 on Linux'],
    [
      mozilla('iPhone; CPU iPhone OS 18_0 like Mac OS X', 'Version/18.0 Mobile/15E148 Safari/604.1'),
      'Safari 18 on iOS',
    ],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['my-agent/2.0 (batch)', 'my-agent/2.0'],
  ] as const)
    assert.equal(describeBrowser(agent), name);
});

test('last month is that of the calendar in UTC, also in January', () => {
  assert.deepEqual(toTimes('calendar', new Date('2026-01-31T23:00:00Z')), {
    since: '2025-12-01T00:00:00.000Z',
    until: '2026-01-01T00:00:00.000Z',
  });
  assert.deepEqual(toTimes('day', new Date('2026-03-02T00:00:00Z')), { since: '2026-03-01T00:00:00.000Z' });
});

test('commands are those that fit what is typed: pages, models, keys, a request or a session by its id', () => {
  const gone: string[] = [];
  const choose = (text: string, compares = true) =>
    chooseCommands(text, {
      pages: [{ to: '/requests', name: 'Requests', key: 'r' }],
      models: ['acme/large', 'small'],
      named: [{ id: 'key_1', name: 'Robot', kind: 'key', path: '/access?part=keys&open=key_1' }],
      compares,
      go: (path) => void gone.push(path),
      switchScheme: () => void gone.push('scheme'),
    });
  for (const [text, wanted] of [
    ['requ', '/requests'],
    ['LARGE model', '/models/acme%2Flarge'],
    ['req_0Vb', '/requests/req_0Vb'],
    ['5f6c/0123', '/sessions/5f6c%2F0123'],
    ['robot key', '/access?part=keys&open=key_1'],
    ['dark', 'scheme'],
    ['cost', '/models/calculator'],
  ] as const) {
    choose(text)[0]?.run();
    assert.equal(gone.pop(), wanted, text);
  }
  assert.deepEqual(choose('nothing'), []);
  assert.deepEqual(choose('cost', false), []);
  assert.equal(choose('')[0]?.keys, 'g r');
});
