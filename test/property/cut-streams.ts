import assert from 'node:assert/strict';
import { type SseMessage, formatSse } from '#base';
import { cutBytes, dressStream, parsePieces } from '../support/byte-cuts.ts';
import { decodeStream, encodeStream } from '../support/exchanges.ts';
import {
  CLIENT_FORMATS,
  type CrossingPlan,
  isClientFormat,
  openCrossing,
  withoutMadeUpIds,
} from './every-format.ts';
import type { RecordedStream } from './recorded-streams.ts';

/** A byte stream and its reader: a provider's stream, or a client's answer made from it. */
interface CutSubject {
  id: string;
  messages: readonly SseMessage[];
  /** Keep-alive events that the format allows between others. */
  pings: readonly SseMessage[];
  read(messages: Iterable<SseMessage>): string;
}

/** How often a subject is cut; `random` decides where. */
interface CutPlan {
  /** How many single cuts in each window of a stream; by default one at every byte. */
  singleCuts?: number;
  /** How many times the stream is cut into many pieces, with another sender's line ends and pings. */
  reslices: number;
  random: () => number;
}

/** A provider's stream, and the same answer as sent to every client. */
export function listSubjects(stream: RecordedStream): CutSubject[] {
  const { id, format, messages, dialect } = stream;
  const own = isClientFormat(format) ? format : 'chat';
  const events = decodeStream(openCrossing({ client: own, provider: format, dialect }).exchange, messages);
  const sent = CLIENT_FORMATS.map((client) => {
    const { inbound, context } = openCrossing({ client, provider: format, dialect });
    const frames = encodeStream(inbound, context, events);
    return createSubject(`${id} as ${client}`, frames, { client, provider: client });
  });
  return [createSubject(id, messages, { client: own, provider: format, dialect }), ...sent];
}

function createSubject(id: string, messages: readonly SseMessage[], plan: CrossingPlan): CutSubject {
  const crossing = openCrossing(plan);
  const ping =
    plan.client === plan.provider ? crossing.inbound.createStreamEncoder(crossing.context).ping() : '';
  return {
    id,
    messages,
    pings: parsePieces([Buffer.from(ping)]),
    read: (read) => withoutMadeUpIds(JSON.stringify(decodeStream(crossing.exchange, read))),
  };
}

/** Throws if a cut changes what is read; returns the number of cuts. */
export function checkCuts(subject: CutSubject, plan: CutPlan): number {
  return cutOnce(subject, plan) + cutOften(subject, plan);
}

/**
 * A decoder sees events, not bytes: equal events decode equally. A reader keeps no state between two events, so a
 * long stream is cut in windows of whole events instead of being reread for each byte.
 */
function cutOnce({ id, messages }: CutSubject, { singleCuts, random }: CutPlan): number {
  let cuts = 0;
  for (const window of listWindows(messages)) {
    const bytes = Buffer.from(window.map(formatSse).join(''));
    const all = singleCuts === undefined || singleCuts >= bytes.length;
    const count = all ? bytes.length : singleCuts;
    for (let at = 0; at < count; at += 1) {
      const place = all ? at : Math.floor(random() * bytes.length);
      const read = parsePieces([bytes.subarray(0, place), bytes.subarray(place)]);
      assert.ok(
        areSame(read, window),
        `${id} reads differently when cut at byte ${place} of ${bytes.length}`,
      );
    }
    cuts += count;
  }
  return cuts;
}

const WINDOW_CHARACTERS = 32_000;

/** Neighbours share an event, so that every cut is followed by something. */
function listWindows(messages: readonly SseMessage[]): SseMessage[][] {
  const windows: SseMessage[][] = [[]];
  let size = 0;
  for (const message of messages) {
    windows.at(-1)?.push(message);
    size += message.data.length;
    if (size < WINDOW_CHARACTERS) continue;
    windows.push([message]);
    size = message.data.length;
  }
  return windows;
}

function areSame(read: readonly SseMessage[], sent: readonly SseMessage[]): boolean {
  if (read.length !== sent.length) return false;
  return read.every(({ event, data }, at) => data === sent[at]?.data && event === sent[at].event);
}

const LINE_ENDS = ['\n', '\r\n', '\r'] as const;

function cutOften(subject: CutSubject, { reslices, random }: CutPlan): number {
  const { id, messages, pings, read } = subject;
  const expected = read(messages);
  const last = messages.length - 1;
  for (let round = 0; round < reslices; round += 1) {
    const lineEnd = LINE_ENDS[round % LINE_ENDS.length] ?? '\n';
    const pinged = messages.flatMap((message, at) =>
      at < last && random() < 0.3 ? [message, ...pings] : [message],
    );
    const bytes = dressStream(pinged, { lineEnd, comments: round % 4 !== 3, spaced: round % 2 === 0 });
    const places = Array.from({ length: 1 + Math.floor(random() * 40) }, () =>
      Math.floor(random() * bytes.length),
    );
    const got = read(parsePieces(cutBytes(bytes, places)));
    assert.ok(got === expected, `${id} reads differently in round ${round}, cut at ${places.join(' ')}`);
  }
  return reslices;
}
