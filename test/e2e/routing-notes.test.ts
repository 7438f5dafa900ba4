import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareGateway } from '../support/share-gateway.ts';

const NAMES = [
  '--only',
  'openai,opnai',
  '--weights',
  'antropic=2',
  '--regions',
  'mars',
  '--fallback-models',
  'chat-model,nonesuch',
];

const gateway = shareGateway();

test('names in the routing of a project or key that match nothing are stored, with a note about each', async () => {
  const { projectId, keyId } = gateway.account;
  for (const [group, id] of [
    ['projects', projectId],
    ['keys', keyId],
  ] as const) {
    const args = [group, 'routing', id, ...NAMES, '--config', gateway.configFile];
    const { code, stderr } = await gateway.cli(...args);
    assert.equal(code, 0, stderr);
    const notes = stderr.trim().split('\n');
    assert.match(notes.find((note) => note.includes('mars')) ?? '', /; known are (?:[a-z-]+, )*eu/);
    assert.deepEqual(
      notes.map((note) => note.replace(/; known are .*/, '')),
      [
        'note: nothing in this configuration is named opnai',
        'note: nothing in this configuration is named antropic',
        'note: nothing in this configuration is known to be processed within mars',
        'note: nothing in this configuration is named nonesuch',
      ],
    );
  }
});
