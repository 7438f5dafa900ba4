import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STRICT_ADDRESSES } from '#base';
import { createSigningKey, readSigningKey } from '#catalogue';
import { Chooser } from './choose.ts';
import { chooseCatalogue } from './choose-catalogue.ts';
import type { SettingsFile } from '../schemas/settings-schema.ts';

const publicKey = readSigningKey(createSigningKey())?.publicKey ?? '';

function choose(catalogue: SettingsFile['catalogue'], trustedHosts: string[] = []) {
  const chooser = new Chooser();
  const addresses = { ...STRICT_ADDRESSES, trustedHosts };
  const content: SettingsFile = catalogue ? { catalogue } : {};
  const chosen = chooseCatalogue({ content, locate: (...path) => path.join('.'), chooser }, addresses);
  return { chosen, problems: chooser.problems.map(({ place, message }) => `${place}: ${message}`) };
}

test('a feed is fetched every six hours and announces a day ahead unless it is configured otherwise', () => {
  const { chosen, problems } = choose({ publicKey, url: 'https://models.example.com/feed.json' });
  assert.deepEqual(problems, []);
  assert.equal(chosen?.refreshMs, 6 * 3_600_000);
  assert.equal(chosen.noticeMs, 24 * 3_600_000);
  assert.equal(choose(undefined).chosen, undefined);
});

test('an address that is not public or trusted, and a key that is none, are refused at their place', () => {
  for (const url of [
    'http://models.example.com/feed.json',
    'https://10.0.0.1/feed.json',
    'file:///feed.json',
  ]) {
    const [problem = ''] = choose({ publicKey, url }).problems;
    assert.match(problem, /^catalogue\.url: `url` must be .*customProviders\.trustedHosts/, url);
  }
  assert.deepEqual(choose({ publicKey, url: 'http://10.0.0.1/feed.json' }, ['10.0.0.1']).problems, []);
  const [problem = ''] = choose({ publicKey: 'ssh-ed25519 AAAA' }).problems;
  assert.match(problem, /^catalogue\.publicKey: `publicKey` must be ed25519: and 32 bytes in base64/);
});
