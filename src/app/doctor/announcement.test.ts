import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import type { Settings } from '../settings/settings.ts';
import type { AnnouncementFacts } from './announcement.ts';
import { composeAnnouncement, listProviders, toReachableUrl } from './announcement.ts';

const FACTS: AnnouncementFacts = {
  version: '1.2.3',
  url: 'http://127.0.0.1:8787',
  dataDir: '/srv/data',
  providers: ['openai (OPENAI_API_KEY)'],
  model: 'gpt-5-mini',
};
const firstRun = { apiKey: 'slc_first', adminKey: 'slcadm_first' };

test('the first start prints both keys in at most 15 lines', () => {
  const lines = composeAnnouncement({ ...FACTS, firstRun, claudeModel: 'gpt-5-mini' });
  assert.ok(lines.length <= 15, `${lines.length} lines`);
  const text = lines.join('\n');
  for (const part of [
    'slc_first',
    'slcadm_first',
    FACTS.url,
    '/srv/data',
    'OPENAI_API_KEY',
    'curl ',
    'gpt-5-mini',
  ]) {
    assert.ok(text.includes(part), part);
  }
  assert.match(text, /export ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:8787 ANTHROPIC_AUTH_TOKEN=slc_first/);
  assert.match(text, /npx sluice claude --run/);
});

test('a later start prints no key, but how to create one', () => {
  const lines = composeAnnouncement(FACTS);
  assert.ok(lines.length <= 15);
  assert.doesNotMatch(lines.join('\n'), /slc_|slcadm_/);
  assert.match(lines.join('\n'), /npx sluice keys create/);
});

test('where a flag named the data directory, the commands that are printed have it', () => {
  const of = (dataDir: string) =>
    [{ firstRun }, {}].map((more) =>
      composeAnnouncement({ ...FACTS, ...more, dataDir, isDataDirFlag: true }).join('\n'),
    );
  for (const text of of('/srv/data'))
    assert.match(text, /^ {2}npx sluice claude --data-dir '\/srv\/data' --run$/m);
  assert.match(
    of("/srv/it's")[1] ?? '',
    /npx sluice keys create --data-dir '\/srv\/it'\\''s' creates another/,
  );
});

test('a file of keys outside the working directory is named by its whole path', () => {
  const list = (path: string) =>
    listProviders({
      providers: [{ id: 'acme' }],
      credentials: new Map(),
      credentialSources: new Map([['acme', `${path}:2:5`]]),
    } as unknown as Settings);
  assert.deepEqual(list(join(process.cwd(), 'sluice.yaml')), ['acme (sluice.yaml)']);
  assert.deepEqual(list('/etc/sluice/sluice.yaml'), ['acme (/etc/sluice/sluice.yaml)']);
});

test('without a provider it prints the built-in model and which variable to set', () => {
  assert.match(
    composeAnnouncement({ ...FACTS, providers: [] }).join('\n'),
    /local\/echo answers until OPENAI_API_KEY/,
  );
});

test('many providers stay on one line', () => {
  const providers = Array.from({ length: 40 }, (_, index) => `p${index} (KEY)`);
  const lines = composeAnnouncement({ ...FACTS, providers });
  assert.ok(lines.length <= 15);
  assert.ok(lines.some((line) => line.endsWith('and 32 more')));
});

test('a gateway that listens everywhere is called on the loopback', () => {
  assert.equal(toReachableUrl('http://0.0.0.0:80'), 'http://127.0.0.1:80');
  assert.equal(toReachableUrl('http://[::]:80'), 'http://[::1]:80');
  assert.equal(toReachableUrl('http://10.0.0.1:80'), 'http://10.0.0.1:80');
});
