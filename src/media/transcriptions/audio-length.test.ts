import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toWav } from '../speech/wav.ts';
import { measureAudio } from './audio-length.ts';

test('a WAV file is as long as its samples', () => {
  const { likelyMs } = measureAudio(toWav(Buffer.alloc(48_000 * 3), 24_000));
  assert.ok(likelyMs >= 3_000 && likelyMs < 3_010, `${likelyMs}`);
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

test('a file of nothing but beginnings of frames is bounded by its bytes, soon', () => {
  const { mostMs } = measureAudio(Buffer.alloc(4_000_000, 0xff));
  assert.equal(mostMs, 4_000_000);
});

test('the duration of an Opus file is that of its last page', () => {
  const page = (samples: bigint, content: string): Buffer => {
    const head = Buffer.alloc(28);
    head.write('OggS');
    head.writeBigUInt64LE(samples, 6);
    return Buffer.concat([head, Buffer.from(content)]);
  };
  const { likelyMs } = measureAudio(Buffer.concat([page(0n, 'OpusHead'), page(96_000n, 'x')]));
  assert.equal(likelyMs, 2_000);
});

test('the duration of FLAC and MP4 files is read from the file', () => {
  const flac = Buffer.alloc(42);
  flac.write('fLaC');
  flac.writeUIntBE(16_000 << 4, 18, 3);
  flac.writeUInt32BE(40_000, 22);
  assert.equal(measureAudio(flac).likelyMs, 2_500);
  const mp4 = Buffer.alloc(64);
  mp4.write('ftyp', 4);
  mp4.write('mvhd', 24);
  mp4.writeUInt32BE(1_000, 24 + 16);
  mp4.writeUInt32BE(7_000, 24 + 20);
  assert.equal(measureAudio(mp4).likelyMs, 7_000);
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
