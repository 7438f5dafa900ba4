import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { toWav } from '../speech/wav.ts';
import { measureAudio } from './audio-length.ts';

test('a WAV file is as long as its samples', () => {
  const { likelyMs } = measureAudio(toWav(Buffer.alloc(48_000 * 3), 24_000));
  assert.ok(likelyMs >= 3_000 && likelyMs < 3_010, `${likelyMs}`);
});

test('a WAV file is as long as its samples, whatever rate of bytes its header claims, and where other chunks name formats', () => {
  const wav = toWav(Buffer.alloc(48_000 * 3), 24_000);
  wav.writeUInt32LE(4_000_000_000, 28);
  const list = Buffer.concat([Buffer.from('LIST\x18\0\0\0'), wav.subarray(12, 36)]);
  list.writeUInt32LE(4_000_000_000, 20); // another rate of samples
  for (const bytes of [wav, Buffer.concat([wav.subarray(0, 12), list, wav.subarray(12)])]) {
    const { likelyMs } = measureAudio(bytes);
    assert.ok(likelyMs >= 3_000 && likelyMs < 3_010, `${likelyMs}`);
  }
});

test('a WAV file of compressed samples is bounded by its bytes, or by its rate if that is low', () => {
  const wav = toWav(Buffer.alloc(48_000 * 3), 24_000);
  wav.writeUInt16LE(2, 20); // ADPCM
  assert.equal(measureAudio(wav).mostMs, wav.length);
  wav.writeUInt32LE(100, 24);
  assert.ok(measureAudio(wav).mostMs > (wav.length * 8 * 1_000) / 101);
});

test('an MP3 file is as long as its frames, whatever their bit rates and with a tag before them', () => {
  // MPEG 1 layer III at 44.1 kHz: 128 and 64 kbit/s; 1,152 samples each.
  const frame = (kbits: number, code: number): Buffer => {
    const bytes = Buffer.alloc(Math.floor((144 * kbits * 1_000) / 44_100));
    bytes.set([0xff, 0xfb, code << 4, 0]);
    return bytes;
  };
  const tag = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4]);
  const frames = Array.from({ length: 100 }, (_, index) => (index % 2 ? frame(128, 9) : frame(64, 5)));
  const { likelyMs } = measureAudio(Buffer.concat([tag, ...frames]));
  assert.equal(likelyMs, Math.ceil((100 * 1_152_000) / 44_100));
});

test('an MP3 file that was put together from several is as long as all of them', () => {
  const frame = Buffer.alloc(417); // 128 kbit/s at 44.1 kHz
  frame.set([0xff, 0xfb, 9 << 4, 0]);
  const tag = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4]);
  const part = Buffer.concat(Array.from({ length: 100 }, () => frame));
  const lengthOf = (...parts: Buffer[]): number => measureAudio(Buffer.concat(parts)).likelyMs;
  const whole = lengthOf(tag, part, part);
  assert.equal(lengthOf(tag, part, tag, part), whole);
  assert.equal(lengthOf(part, Buffer.alloc(50), part, Buffer.from('TAG'), Buffer.alloc(125)), whole);
});

test('a file of nothing but tags is bounded by its bytes, soon', () => {
  const { mostMs } = measureAudio(Buffer.alloc(4_000_000, 'ID3\0\0\0\0\0\0\0'));
  assert.equal(mostMs, 4_000_000);
  const frame = Buffer.from([0xff, 0xfb, 0x90, 0]);
  const tags = Buffer.alloc(210_000, 'ID3\0\0\0\0\0\0\0');
  assert.equal(measureAudio(Buffer.concat([tags, frame])).mostMs, 210_004);
});

test('a file of nothing but beginnings of frames is bounded by its bytes, soon', () => {
  const { mostMs } = measureAudio(Buffer.alloc(4_000_000, 0xff));
  assert.equal(mostMs, 4_000_000);
});

/** Recordings of 1.5 seconds, as encoders write them, with where they state their length. */
const RECORDINGS = {
  'silence.flac': (bytes: Buffer) => bytes.writeUInt32BE(1, 22),
  'flac.oga': shortenOgg,
  'opus.ogg': shortenOgg,
  'vorbis.ogg': shortenOgg,
  'aac.m4a': shortenMp4,
  'aac-fragments.m4a': shortenMp4,
  'alac.m4a': shortenMp4,
  'opus.mp4': shortenMp4,
  'amr.3gp': shortenMp4,
  'opus.webm': shortenWebm,
  'flac.mka': shortenWebm,
  'silence.amr': () => undefined,
  'aac.aac': () => undefined,
};

/** Every page ends at the second sample. */
function shortenOgg(bytes: Buffer): void {
  for (let at = bytes.indexOf('OggS'); at !== -1; at = bytes.indexOf('OggS', at + 1))
    bytes.writeBigInt64LE(2n, at + 6);
}

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(' ', ''), 'hex');
}

function shortenWebm(bytes: Buffer): void {
  bytes.writeDoubleBE(1, bytes.indexOf(hex('4489 88')) + 3);
}

function shortenMp4(bytes: Buffer): void {
  bytes.writeUInt32BE(1, bytes.indexOf('mvhd') + 20);
}

for (const [name, shorten] of Object.entries(RECORDINGS)) {
  test(`${name} is as long as its frames, whatever length it states`, () => {
    const bytes = readFileSync(new URL(`../../../test/support/audio/${name}`, import.meta.url));
    const { mostMs, likelyMs } = measureAudio(bytes);
    assert.ok(likelyMs >= 1_500 && likelyMs < 1_700, `${likelyMs}`);
    shorten(bytes);
    const shortened = measureAudio(bytes);
    assert.equal(shortened.mostMs, mostMs);
    assert.ok(shortened.likelyMs >= 1_500, `${shortened.likelyMs}`);
  });
}

const isRefused = {
  code: 'invalid_request',
  message: /^file: has too many \w.* to count its length$/,
};

test('a file of more frames, packets, pages, streams or boxes than can be counted soon is refused', () => {
  const size = 4_000_000;
  const audio = new URL('../../../test/support/audio/', import.meta.url);
  const mp4 = readFileSync(new URL('aac.m4a', audio));
  const start = mp4.readUInt32BE(0);
  const boxes = Buffer.alloc(1_600_000, '\u0000\u0000\u0000\u0008free');
  const opus = readFileSync(new URL('opus.ogg', audio));
  const streams = Array.from({ length: 2_000 }, (_, serial) => createOpusPage(serial));
  const packets = Buffer.alloc(27 + 255, 1);
  packets.write('OggS');
  packets[26] = 255;
  const files = {
    'marks of frames': Buffer.alloc(size, 'fLaC\u00ff\u00f8', 'latin1'),
    frames: Buffer.alloc(size, 'fLaC\u00ff\u00f8\u00c9\u0008\u0000', 'latin1'),
    streams: Buffer.concat([...streams, opus]),
    pages: Buffer.concat(Array.from({ length: 300_001 }, () => createOpusPage(1))),
    packets: Buffer.concat([createOpusPage(0x01010101), Buffer.alloc(size, packets)]),
    'frames of AMR': Buffer.concat([Buffer.from('#!AMR\n'), Buffer.alloc(size, '|')]),
    'frames of AAC': Buffer.alloc(2 * size, 'fff1404000fffc', 'hex'),
    boxes: Buffer.concat([mp4.subarray(0, start), boxes, mp4.subarray(start)]),
  };
  for (const [name, file] of Object.entries(files)) assert.throws(() => measureAudio(file), isRefused, name);
});

test('a stream of an unknown codec, or a truncated one, does not hide the length of another', () => {
  const opus = readFileSync(new URL('../../../test/support/audio/opus.ogg', import.meta.url));
  const whole = measureAudio(opus);
  for (const mark of ['Speex', '\u0001vorbis', '\u007fFLAC']) {
    const { likelyMs } = measureAudio(Buffer.concat([opus, createOpusPage(77, mark)]));
    assert.ok(likelyMs >= whole.likelyMs && likelyMs < whole.likelyMs + 20, `${mark}: ${likelyMs}`);
  }
});

function createOpusPage(serial: number, mark = 'OpusHead'): Buffer {
  const page = Buffer.alloc(36);
  page.write('OggS');
  page.set([1, 8], 26);
  page.write(mark, 28);
  page.writeUInt32LE(serial, 14);
  return page;
}

test('a mark of a FLAC frame is found at every place', () => {
  const flac = readFileSync(new URL('../../../test/support/audio/silence.flac', import.meta.url));
  const at = flac.indexOf(Buffer.from([0xff, 0xf8]));
  const { mostMs } = measureAudio(flac);
  for (const more of [1, 2]) {
    const moved = Buffer.concat([flac.subarray(0, at), Buffer.alloc(more), flac.subarray(at)]);
    assert.equal(measureAudio(moved).mostMs, mostMs);
  }
});

test('a false page of Ogg, or a tag in the middle of an MP3 file, hides nothing behind it', () => {
  const opus = readFileSync(new URL('../../../test/support/audio/opus.ogg', import.meta.url));
  const start = opus.indexOf('OggS', opus.indexOf('OpusTags'));
  const page = Buffer.alloc(27 + 255, 255);
  opus.copy(page, 0, start, start + 26);
  const whole = measureAudio(opus);
  const hidden = Buffer.concat([opus.subarray(0, start), page, opus.subarray(start)]);
  const { likelyMs } = measureAudio(hidden);
  assert.ok(likelyMs >= whole.likelyMs && likelyMs < whole.likelyMs + 200, `${likelyMs}`);
  const frame = Buffer.concat([Buffer.from([0xff, 0xfb, 9 << 4, 0]), Buffer.alloc(413)]);
  const frames = Buffer.concat(Array.from({ length: 100 }, () => frame));
  const tag = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 127, 127, 127, 127]);
  const mp3 = Buffer.concat([frame, tag, frames]);
  assert.equal(measureAudio(mp3).likelyMs, measureAudio(Buffer.concat([frame, frames])).likelyMs);
});

test('a frame of FLAC whose position is no code point counts as none, so that its checksum is short', () => {
  const frame = Buffer.alloc(40, 'fLaC\u00ff\u00f8\u00c9\u0008\u00ff', 'latin1');
  const file = Buffer.concat([
    frame.subarray(0, 4),
    Buffer.alloc(38, 0x11),
    frame.subarray(4),
    Buffer.alloc(1),
  ]);
  for (let sum = 0; sum < 256; sum += 1) {
    file[file.length - 1] = sum;
    assert.equal(measureAudio(file).mostMs, file.length, `${sum}`);
  }
});

test('a file without a length, or with a false one, is bounded by its bytes', () => {
  const unknown = Buffer.alloc(8_000);
  assert.deepEqual(measureAudio(unknown), { mostMs: 8_000, likelyMs: 1_000 });
  const header = ['RIFF', 'fLaC', 'OggS', 'ID3', '\u0000\u0000\u0000\u0000ftypmvhd'];
  for (const text of header) {
    const { mostMs, likelyMs } = measureAudio(Buffer.concat([Buffer.from(text), Buffer.alloc(9)]));
    assert.ok(mostMs > 0 && likelyMs > 0, text);
  }
});

const box = (kind: string, ...parts: Buffer[]): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + Buffer.concat(parts).length);
  head.write(kind, 4);
  return Buffer.concat([head, ...parts]);
};
const handler = (kind: string): Buffer => box('hdlr', Buffer.alloc(8), Buffer.from(kind));
/** How many packets a track has. */
const sizes = (count: number): Buffer =>
  box('stsz', Buffer.alloc(8), hex(count.toString(16).padStart(8, '0')));
const entry = (kind: string, ...boxes: Buffer[]): Buffer => box(kind, Buffer.alloc(28), ...boxes);
const describe = (...entries: Buffer[]): Buffer => box('stsd', Buffer.alloc(8), ...entries);
const track = (...boxes: Buffer[]): Buffer =>
  box('trak', box('mdia', handler('soun'), box('minf', box('stbl', ...boxes))));
/** A description of AAC: its flags, its codec, and its kind and rate. */
const esds = (flags: string, codec: string, config: string): Buffer =>
  box(
    'esds',
    hex(`00000000 03 20 0001 ${flags} 04 15 ${codec} ${'00'.repeat(12)} 05 05 ${config} 0000000000`),
  );
/** At 8 and at 96 kHz. */
const [SLOW, FAST] = [entry('mp4a', esds('00', '40', '1588')), entry('mp4a', esds('00', '40', '1008'))];
const sound = track(describe(SLOW), sizes(1_000));

const MP4_FILES = {
  'an unknown codec in another track': [track(describe(entry('samr')), sizes(9)), sound],
  'samples that take no time in another track': [
    track(describe(entry('alac', box('alac', hex(`00000000 00001000${'00'.repeat(20)}`)))), sizes(9)),
    sound,
  ],
  'a description that is truncated in another track': [
    track(describe(entry('mp4a', box('esds'))), sizes(9)),
    sound,
  ],
  'a list without packets': [track(describe(SLOW), sizes(0), sizes(1_000))],
  'a description of shorter packets': [track(describe(FAST, SLOW), sizes(1_000))],
  'a description of shorter packets in the same entry': [
    track(describe(entry('mp4a', esds('00', '40', '1008'), esds('00', '40', '1588'))), sizes(1_000)),
  ],
  'what is said of a track that decoders hear': [
    box('trak', box('mdia', handler('text'), box('minf', box('stbl', describe(SLOW), sizes(1_000))))),
  ],
};

for (const [name, tracks] of Object.entries(MP4_FILES))
  test(`${name} does not hide the length of MP4`, () => {
    const { mostMs } = measureAudio(Buffer.concat([box('ftyp'), box('moov', ...tracks)]));
    assert.equal(mostMs, 128_000 + 1_000);
  });

test('neither what is truncated after it nor a box before it hides the length of MP4', () => {
  const movie = box('moov', sound);
  const files = {
    fragment: [box('ftyp'), movie, box('moof', box('traf', box('trun')))],
    'long box': [box('ftyp'), movie, hex('00000001 66726565')],
    header: [box('ftyp'), movie, box('moov', box('mvhd'))],
    beginning: [box('free'), movie],
    movie: [movie],
  };
  for (const [name, parts] of Object.entries(files))
    assert.equal(measureAudio(Buffer.concat(parts)).mostMs, 129_000, name);
});

test('MP4 of another codec than its description has room for is bounded by its bytes', () => {
  for (const description of [esds('00', '6b', '1008'), esds('80', '40', '1008')]) {
    const file = Buffer.concat([
      box('ftyp'),
      box('moov', track(describe(entry('mp4a', description)), sizes(9))),
    ]);
    assert.equal(measureAudio(file).mostMs, file.length);
  }
});

test('a file of MP4 with more tracks or descriptions than can be counted soon is refused', () => {
  const descriptions = track(describe(entry('mp4a', Buffer.alloc(8_000, 'esds'))), sizes(9));
  const many = Array.from({ length: 1_001 }, () => track());
  for (const tracks of [[descriptions], many])
    assert.throws(() => measureAudio(Buffer.concat([box('ftyp'), box('moov', ...tracks)])), isRefused);
});

test('what is no frame of AMR or no element of WebM is bounded by its bytes', () => {
  for (const beginning of ['#!AMR', '\u001aE\u00df\u00a3']) {
    const file = Buffer.concat([Buffer.from(beginning, 'latin1'), Buffer.alloc(4_000)]);
    assert.equal(measureAudio(file).mostMs, file.length);
  }
  const wide = Buffer.concat([Buffer.from('#!AMR-WB\n'), Buffer.alloc(100, 15 << 3)]);
  assert.equal(measureAudio(wide).likelyMs, 2_000);
});
