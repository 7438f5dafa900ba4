import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hidePassword } from './explain-settings.ts';

test('an address is shown without its password, whatever characters that has', () => {
  for (const password of [
    'secret',
    'se@cret',
    '@secret@',
    'se%40cret',
    'se/cret',
    'se#cret@',
    'se?cret',
    'a:secret',
    '',
  ]) {
    const shown = hidePassword(`postgres://sluice:${password}@db.example:5432/sluice?sslmode=require`);
    assert.equal(shown, 'postgres://sluice@db.example:5432/sluice', password);
  }
  for (const address of [
    'https://api.example.com:8443/v1/@me',
    'redis://127.0.0.1:6379/0',
    'https://${HOST}/v1',
  ])
    assert.equal(hidePassword(address), address);
  assert.equal(hidePassword('https://api.example.com/v1?key=secret@x'), 'https://api.example.com/v1');
});
