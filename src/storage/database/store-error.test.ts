import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { GatewayError } from '#errors';
import { leavesConnectionUsable, toStoreError } from './store-error.ts';

function createDatabaseError(code: string, severity = 'ERROR'): pg.DatabaseError {
  const error = new pg.DatabaseError(`state ${code}`, 0, 'error');
  return Object.assign(error, { code, severity });
}

function createSystemError(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

test('every error of an unavailable server becomes store_unavailable with a retry time', () => {
  const states = [
    '08006',
    '57P01',
    '57P02',
    '57P03',
    '57014',
    '53300',
    '53100',
    '55P03',
    '28P01',
    '3D000',
    '25006',
    '58030',
  ];
  const sockets = [
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOENT',
    'EPIPE',
    'ETIMEDOUT',
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
  ];
  const words = [
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Query read timeout',
  ];
  const down = [
    ...states.map((state) => createDatabaseError(state)),
    ...sockets.map(createSystemError),
    ...words.map((text) => new Error(text)),
    Object.assign(new AggregateError([new Error('connect ECONNREFUSED ::1:1')]), { code: 'ECONNREFUSED' }),
  ];
  for (const error of down) {
    const thrown = toStoreError(error);
    assert.ok(thrown instanceof GatewayError, error.message);
    assert.equal(thrown.code, 'store_unavailable');
    assert.equal(thrown.facts.retryAfterSeconds, 2);
    assert.equal(thrown.cause, error);
    assert.ok(thrown.facts.detail);
  }
});

test('an error in the SQL, in the program or of the gateway is not reclassified', () => {
  const own = [
    ...['23505', '42601', '22012', '40001', '40P01', '0A000', 'P0001'].map((state) =>
      createDatabaseError(state),
    ),
    new TypeError('x is not a function'),
    new GatewayError('model_not_found', 'no such model'),
    Object.assign(new Error('a file'), { code: 'ERR_INVALID_ARG_TYPE' }),
  ];
  for (const error of own) assert.equal(toStoreError(error), error);
  assert.equal(toStoreError('text'), 'text');
});

test('a character that cannot be stored is the client’s fault', () => {
  for (const code of ['22021', '22P05']) {
    const thrown = toStoreError(createDatabaseError(code));
    assert.ok(thrown instanceof GatewayError, code);
    assert.deepEqual([thrown.code, thrown.status], ['invalid_request', 400]);
  }
});

test('only the server’s own ERROR leaves a connection usable', () => {
  assert.equal(leavesConnectionUsable(createDatabaseError('57014')), true);
  assert.equal(leavesConnectionUsable(createDatabaseError('57P01', 'FATAL')), false);
  assert.equal(leavesConnectionUsable(createDatabaseError('25006')), false);
  assert.equal(leavesConnectionUsable(new Error('Query read timeout')), false);
});

test('a pooler that refuses the settings of a connection is named as the cause', () => {
  const error = Object.assign(
    new pg.DatabaseError('unsupported startup parameter: statement_timeout', 0, 'error'),
    {
      code: '08P01',
      severity: 'FATAL',
    },
  );
  const thrown = toStoreError(error);
  assert.ok(thrown instanceof GatewayError);
  assert.match(thrown.facts.detail ?? '', /statement_timeout; a connection pooler answers/);
});
