import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExportSettings } from './read-export-settings.ts';
import type { ExportEntry } from '../schemas/exports-schema.ts';
import type { SettingsProblem } from '../settings-problem.ts';

function check(...entries: ExportEntry[]): string[] {
  const problems: SettingsProblem[] = [];
  readExportSettings(entries, (...path) => path.join('.'), problems);
  return problems.map(({ place, message }) => `${place}: ${message}`);
}

test('an export that lacks something, or has what its type does not, is refused with the field at its place', () => {
  assert.deepEqual(
    check(
      { name: 'a', type: 'file' },
      { name: 'b', type: 'http', url: 'https://user:pw@example.com', bucket: 'x', secret: 'short' },
      { name: 'b', type: 'file', path: 'logs' },
    ),
    [
      'exports.0: an export of type file needs `path`',
      'exports.1: an export of type http has no `bucket`',
      'exports.1: `url` must be an http or https URL without user, password and fragment',
      'exports.1: `secret` must be whsec_ and at least 24 bytes in base64',
      'exports.2: `path` must be an absolute path',
      'exports.2: there is another export named b',
    ],
  );
});

test('what is not set has the default of its type', () => {
  const [archive] = readExportSettings(
    [
      {
        name: 'a',
        type: 's3',
        bucket: 'logs',
        accessKeyId: 'k',
        secretAccessKey: 's',
        endpoint: 'http://minio:9000/',
      },
    ],
    () => '',
    [],
  );
  assert.deepEqual(archive, {
    name: 'a',
    type: 's3',
    from: 'now',
    batchRows: 10_000,
    batchMs: 300_000,
    bucket: 'logs',
    region: 'us-east-1',
    prefix: '',
    endpoint: 'http://minio:9000',
    keys: { accessKeyId: 'k', secretAccessKey: 's' },
  });
});
