import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureAudio } from './audio-length.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** An element of EBML: its id, a size of four bytes, and what is in it. */
const element = (id: string, ...parts: (Buffer | string)[]): Buffer => {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'string' ? hex(part) : part)));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(0x10000000 + content.length);
  return Buffer.concat([hex(id), size, content]);
};
const ebml = element('1a45dfa3');
const described = (number: string, codec: string, ...more: Buffer[]): Buffer =>
  element('ae', element('d7', number), element('86', Buffer.from(codec)), ...more);
const tracks = (...entries: Buffer[]): Buffer => element('1654ae6b', ...entries);
/** Of packets of 60 ms of silence in Opus. */
const packet = (track: string, at = '0000'): Buffer => element('a3', `8${track} ${at} 80 18 ff fe`);
const cluster = (begin: string, ...blocks: Buffer[]): Buffer =>
  element('1f43b675', element('e7', begin), ...blocks);
const opusTracks = tracks(described('01', 'A_OPUS'));
const many = Array.from({ length: 100 }, () => packet('1'));

const WEBM_FILES = {
  'a size of the cluster': [opusTracks, hex('1f43b675 81'), element('e7', '00'), ...many],
  'an element around the cluster': [opusTracks, element('ec', cluster('00', ...many))],
  'another track': [
    tracks(described('02', 'A_UNKNOWN'), described('01', 'A_OPUS')),
    cluster('00', packet('2'), ...many),
  ],
  'a description of the same track': [
    tracks(described('01', 'V_VP8'), described('01', 'A_UNKNOWN')),
    opusTracks,
    cluster('00', ...many),
  ],
  'a group of blocks': [
    opusTracks,
    element('1f43b675', ...many.map((block) => element('a0', Buffer.concat([hex('a1'), block.subarray(1)])))),
  ],
};

for (const [name, parts] of Object.entries(WEBM_FILES))
  test(`${name} does not hide the length of WebM`, () => {
    const { mostMs } = measureAudio(Buffer.concat([ebml, ...parts]));
    assert.ok(mostMs >= 7_000 && mostMs <= 7_010, `${mostMs}`);
  });

test('silence that was left out of WebM counts, up to a day', () => {
  const sparse = (end: string): Buffer =>
    Buffer.concat([ebml, opusTracks, cluster('00', packet('1')), cluster(end, packet('1'))]);
  assert.equal(measureAudio(sparse('ea60')).mostMs, 61_000);
  assert.throws(() => measureAudio(sparse('0fffffff')), {
    message: 'file: has blocks more than a day apart',
  });
});

test('the pictures of WebM count nothing, and sound of an unknown codec by its bytes', () => {
  const both = tracks(described('01', 'A_OPUS'), described('02', 'V_VP9'));
  const picture = element('a3', '82 0000 00', Buffer.alloc(100_000));
  const { mostMs } = measureAudio(Buffer.concat([ebml, both, cluster('00', packet('1'), picture)]));
  assert.equal(mostMs, 1_060);
  const unknown = tracks(described('02', 'A_UNKNOWN'));
  assert.equal(measureAudio(Buffer.concat([ebml, unknown, cluster('00', picture)])).mostMs, 101_000);
});

test('WebM of more blocks than can be counted soon, or of packets that are compressed once more, is refused', () => {
  const short = Buffer.alloc(7_000_000, hex('a3 84 81 0000 80'));
  assert.throws(() => measureAudio(Buffer.concat([ebml, opusTracks, hex('1f43b675 81'), short])), {
    message: 'file: has too many blocks or elements to count its length',
  });
  const packed = tracks(described('01', 'A_OPUS', element('6d80', '00')));
  assert.throws(() => measureAudio(Buffer.concat([ebml, packed, cluster('00', packet('1'))])), {
    message: 'file: has packets with a second compression, so that its length cannot be counted',
  });
});
