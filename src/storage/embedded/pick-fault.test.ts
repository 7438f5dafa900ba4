import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pickFault } from './pick-fault.ts';

const STEPS = `creating subdirectories ... ok
running bootstrap script ... `;

test('of what PostgreSQL writes, its failure is shown', () => {
  assert.equal(
    pickFault(
      `${STEPS}2026-11-30 08:59:07.907 UTC [24440] FATAL:  could not extend file "base/1/2691": No space left on device
2026-11-30 08:59:07.907 UTC [24440] HINT:  Check free disk space.
child process exited with exit code 134\n`,
    ),
    ' could not extend file "base/1/2691": No space left on device',
  );
  assert.equal(
    pickFault(`${STEPS}2026-11-30 08:35:55.117 UTC [514] FATAL:  insufficient file descriptors available to start server process
2026-11-30 08:35:55.117 UTC [514] DETAIL:  System allows 57, server needs at least 58, 7 files are already open.\n`),
    ' insufficient file descriptors available to start server process (System allows 57, server needs at least 58, 7 files are already open)',
  );
  assert.equal(
    pickFault(`2026-11-30 09:20:01.000 UTC [7] LOG:  unrecognized configuration parameter "no_such" in file "postgresql.conf" line 9
2026-11-30 09:20:01.001 UTC [7] FATAL:  configuration file "postgresql.conf" contains errors\n`),
    ' configuration file "postgresql.conf" contains errors (unrecognized configuration parameter "no_such" in file "postgresql.conf" line 9)',
  );
  assert.equal(
    pickFault('initdb: error: could not create directory "x": Permission denied\n'),
    ' could not create directory "x": Permission denied',
  );
  assert.equal(pickFault('Illegal instruction'), '\nIllegal instruction');
});
