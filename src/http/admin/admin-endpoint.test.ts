import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { defineAdminEndpoint } from './admin-endpoint.ts';

const define = (body?: { title: string }) =>
  defineAdminEndpoint({
    method: 'POST',
    path: '/admin/v1/things/{id}/act',
    summary: 'Act.',
    scope: 'accounts:write',
    ...(body && { body: Type.Unsafe<object>(Type.Object({}, body)) }),
    answer: { description: 'The thing.' },
    handle: () => Promise.resolve({}),
  });

test('only a POST with a body declares the statuses of reading one', () => {
  const list = ({ responses }: ReturnType<typeof define>) => Object.keys(responses).map(Number);
  assert.deepEqual(list(define()), [200, 400, 401, 403, 404, 409, 422, 500, 503]);
  assert.deepEqual(
    list(define({ title: 'Act' })),
    [200, 400, 401, 403, 404, 408, 409, 413, 415, 422, 500, 503],
  );
});
