import { formatSse } from '#base';
import { createAnswerEvents } from '../upstream-answers.ts';
import {
  type Reply,
  answerText,
  endless,
  errorAfter,
  hang,
  hugeEvent,
  onlyComments,
} from '../upstream-replies.ts';
import { CHUNKS, type Fault, type ReplyFacts, SSE } from './fault.ts';

export const STREAM_ONLY = { mode: 'JSON', why: 'of a stream' } as const;

/** Sends the events up to the first word, and then does something else. */
const afterWords =
  (text: string, then: Reply): Reply =>
  async (exchange) => {
    await exchange.sendHead(200, { 'content-type': SSE });
    const events = createAnswerEvents({ text, chunks: CHUNKS }, exchange.truth);
    const first = 1 + events.findIndex(({ tokens }) => tokens > 0);
    for (const event of events.slice(0, first)) await exchange.sendBody(formatSse(event));
    await exchange.pause(20);
    await then(exchange);
  };

export const beginsAndThen =
  (then: Reply) =>
  ({ text }: ReplyFacts): Reply =>
    afterWords(text, then);

/** Faults of providers in a stream. */
export const STREAM_FAULTS: readonly Fault[] = [
  {
    id: 'U6',
    name: 'ends a stream before its first event',
    course: 'repeat',
    error: 'upstream_garbled',
    without: [STREAM_ONLY],
    reply: () => answerText(SSE, ''),
  },
  {
    id: 'U6',
    name: 'cuts a stream with a FIN',
    course: 'midway',
    without: [STREAM_ONLY],
    reply: beginsAndThen(async (exchange) => exchange.cut()),
  },
  {
    id: 'U6',
    name: 'cuts a stream with a reset',
    course: 'midway',
    without: [STREAM_ONLY],
    reply: beginsAndThen(async (exchange) => exchange.reset()),
  },
  {
    id: 'U6',
    name: 'ends a stream properly without its last event',
    course: 'midway',
    without: [STREAM_ONLY],
    reply: beginsAndThen((exchange) => exchange.end()),
  },
  {
    id: 'U6',
    name: 'goes silent in the middle of a stream',
    isSilent: true,
    course: 'midway',
    without: [STREAM_ONLY],
    reply: beginsAndThen(hang()),
  },
  {
    id: 'U7',
    name: 'ends a stream within an event',
    course: 'midway',
    without: [STREAM_ONLY],
    reply: beginsAndThen((exchange) => exchange.end('data: {"half":')),
  },
  {
    id: 'U10',
    name: 'streams an error as its first event',
    course: 'repeat',
    error: 'upstream_broken',
    without: [STREAM_ONLY],
    reply: () => errorAfter(0, 'api_error'),
  },
  {
    id: 'U10',
    name: 'streams an error after its first words',
    course: 'midway',
    without: [STREAM_ONLY],
    reply: beginsAndThen(async (exchange) => {
      await exchange.end(
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"mock"}}\n\n',
      );
    }),
  },
  {
    id: 'U13',
    name: 'sends comments without end',
    isSilent: true,
    course: 'elsewhere',
    error: 'upstream_timed_out',
    without: [STREAM_ONLY],
    reply: () => onlyComments(50),
  },
  {
    id: 'U14',
    name: 'streams without end',
    course: 'midway',
    without: [STREAM_ONLY],
    reply: () => endless(0, 'words and more words '.repeat(50)),
  },
  {
    id: 'U16',
    name: 'sends an event of 6 MiB',
    course: 'repeat',
    error: 'upstream_garbled',
    without: [STREAM_ONLY],
    reply: () => hugeEvent(6 * 1024 * 1024),
  },
];
