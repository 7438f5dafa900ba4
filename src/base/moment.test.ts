import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LAST_MOMENT, parseMoment } from './moment.ts';

test('a time without a zone is read as UTC in any time zone of the machine', () => {
  const before = process.env['TZ'];
  process.env['TZ'] = 'America/New_York';
  try {
    assert.equal(parseMoment('2027-01-31'), Date.UTC(2027, 0, 31));
    assert.equal(parseMoment('2027-01-31T12:00:00'), Date.UTC(2027, 0, 31, 12));
    assert.equal(parseMoment('2027-01-31 12:00:01'), Date.UTC(2027, 0, 31, 12, 0, 1), 'as tables show it');
    assert.equal(parseMoment('2027-01-31T12:00Z'), Date.UTC(2027, 0, 31, 12));
    assert.equal(parseMoment('2027-01-31T12:00:00.25+02:00'), Date.UTC(2027, 0, 31, 10, 0, 0, 250));
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
});

test('what no calendar has is no moment', () => {
  for (const text of [
    '2027-02-29',
    '2027-02-31T00:00:00Z',
    '2027-13-01',
    '2027-01-31T25:00Z',
    '5',
    '',
    'soon',
  ])
    assert.equal(parseMoment(text), undefined, text);
  assert.equal(parseMoment('2028-02-29'), Date.UTC(2028, 1, 29));
  assert.equal(parseMoment('9999-12-31T23:59:59.999Z'), LAST_MOMENT);
  assert.equal(parseMoment('9999-12-31T23:59:59-12:00'), undefined);
});
