import { gzipSync } from 'node:zlib';
import {
  type Reply,
  answer,
  answerText,
  answerWithoutUsage,
  errorWithOk,
  fail,
  hang,
  overloaded,
  rateLimited,
  raw,
  redirect,
  resetBeforeHeaders,
  resetMidBody,
  wrongContentType,
} from '../upstream-replies.ts';
import { CHUNKS, type Fault, SILENCE_MS, SSE } from './fault.ts';

const JSON_ONLY = { mode: 'stream', why: 'of a body that is not a stream' } as const;
const NEVER_HEALED = { place: 'passing', why: 'nothing is there to be good again' } as const;
const NO_FAILURE = [
  { place: 'passing', why: 'there is no failure to pass' },
  { place: 'beside another', why: 'another provider is not called' },
] as const;

const refusal = (status: number, message: string): Reply =>
  fail(status, 'invalid_request_error', { message });

/** Faults of providers, before or in an answer of either kind. */
export const PROVIDER_FAULTS: readonly Fault[] = [
  {
    id: 'U1',
    name: 'refuses connections',
    course: 'repeat',
    error: 'upstream_unreachable',
    address: 'closed',
    without: [NEVER_HEALED],
    reply: () => hang(),
  },
  {
    id: 'U2',
    name: 'accepts and never answers',
    isSilent: true,
    course: 'elsewhere',
    error: 'upstream_timed_out',
    reply: () => hang(),
  },
  {
    id: 'U2',
    name: 'takes longer for a whole answer than for a first event',
    isSilent: true,
    course: 'harmless',
    without: [...NO_FAILURE, JSON_ONLY],
    reply: ({ text }) => answer({ text, chunks: CHUNKS }, 1.5 * SILENCE_MS),
  },
  {
    id: 'U4',
    name: 'resets before headers',
    course: 'repeat',
    error: 'upstream_unreachable',
    countsVary: true,
    reply: () => resetBeforeHeaders(),
  },
  {
    id: 'U5',
    name: 'resets in the middle of a JSON body',
    course: 'repeat',
    error: 'upstream_broken',
    without: [JSON_ONLY],
    reply: () => resetMidBody(),
  },
  {
    id: 'U9',
    name: 'answers with a web page',
    course: 'repeat',
    error: 'upstream_garbled',
    reply: () => wrongContentType(),
  },
  {
    id: 'U9',
    name: 'answers with nothing',
    course: 'repeat',
    error: 'upstream_garbled',
    without: [JSON_ONLY],
    reply: () => answerText('application/json', ''),
  },
  {
    id: 'U10',
    name: 'answers an error with status 200',
    course: 'repeat',
    error: 'upstream_broken',
    reply: () => errorWithOk(),
  },
  {
    id: 'U11',
    name: 'limits the rate, `retry-after: 1`',
    course: 'repeat',
    error: 'upstream_rate_limited',
    hasRetryAfter: true,
    reply: () => rateLimited('1'),
  },
  {
    id: 'U11',
    name: 'limits the rate without `retry-after`',
    course: 'repeat',
    error: 'upstream_rate_limited',
    reply: () => rateLimited(),
  },
  {
    id: 'U11',
    name: 'limits the rate with an absurd `retry-after`',
    course: 'repeat',
    error: 'upstream_rate_limited',
    reply: () => rateLimited('soon'),
  },
  {
    id: 'U12',
    name: 'fails with 500',
    course: 'repeat',
    error: 'upstream_broken',
    reply: () => fail(500, 'api_error'),
  },
  {
    id: 'U12',
    name: 'is overloaded (503)',
    course: 'repeat',
    error: 'upstream_overloaded',
    reply: () => overloaded(503),
  },
  {
    id: 'U12',
    name: 'is overloaded (529)',
    course: 'repeat',
    error: 'upstream_overloaded',
    reply: () => overloaded(529),
  },
  {
    id: 'U15',
    name: 'reports no usage',
    course: 'harmless',
    without: [...NO_FAILURE],
    reply: ({ text }) => answerWithoutUsage({ text, chunks: CHUNKS }),
  },
  {
    id: 'U15',
    name: 'reports a negative usage',
    course: 'harmless',
    without: [...NO_FAILURE],
    reply: ({ text }) =>
      answer({
        text,
        chunks: CHUNKS,
        usage: {
          prompt_tokens: -5,
          completion_tokens: -5,
          input_tokens: -5,
          output_tokens: -5,
          promptTokenCount: -5,
          candidatesTokenCount: -5,
        },
      }),
  },
  {
    id: 'U17',
    name: 'sends headers of 128 KiB',
    course: 'repeat',
    error: 'upstream_garbled',
    reply: () => raw(`HTTP/1.1 200 OK\r\nx-bomb: ${'x'.repeat(128 * 1024)}\r\n\r\n`),
  },
  {
    id: 'U17',
    name: 'sends two lengths of a body',
    course: 'repeat',
    error: 'upstream_garbled',
    reply: () =>
      raw(
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}',
      ),
  },
  {
    id: 'U17',
    name: 'does not speak HTTP',
    course: 'repeat',
    error: 'upstream_garbled',
    reply: () => raw('220 mail.example ESMTP\r\n'),
  },
  {
    id: 'U18',
    name: 'sends a second answer behind the first',
    course: 'harmless',
    without: [...NO_FAILURE],
    reply:
      ({ text }) =>
      async (exchange) => {
        await answer({ text, chunks: CHUNKS })(exchange);
        await exchange.sendRaw(
          'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
        );
      },
  },
  {
    id: 'U19',
    name: 'compresses 64 MiB of white space into an answer',
    course: 'repeat',
    error: 'upstream_garbled',
    reply: createBomb,
  },
  {
    id: 'U20',
    name: 'redirects to another host',
    course: 'repeat',
    error: 'upstream_garbled',
    reply: ({ trapUrl }) => redirect(`${trapUrl}/stolen`),
  },
  {
    id: 'U24',
    name: 'ends without a word',
    course: 'harmless',
    text: '',
    without: [...NO_FAILURE],
    reply: () => answer({ text: '' }),
  },
  {
    id: 'U26',
    name: 'refuses the request (400)',
    course: 'final',
    error: 'request_refused',
    status: 400,
    reply: () => refusal(400, 'messages: at least one message is required'),
  },
  {
    id: 'U26',
    name: 'does not know the model (404)',
    course: 'elsewhere',
    error: 'request_refused',
    status: 404,
    reply: () => refusal(404, 'The model does not exist'),
  },
  {
    id: 'U26',
    name: 'finds the prompt too long (400)',
    course: 'elsewhere',
    error: 'request_refused',
    status: 400,
    reply: () => refusal(400, 'prompt is too long: 300000 tokens > 200000 maximum'),
  },
  {
    id: 'U26',
    name: 'refuses the credential (401)',
    course: 'elsewhere',
    error: 'upstream_credential_refused',
    reply: () => fail(401, 'authentication_error'),
  },
];

let bomb: Buffer | undefined;

/** Made before the request: it takes a while. */
function createBomb(): Reply {
  const bytes = (bomb ??= gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')));
  return async (exchange) => {
    await exchange.sendHead(200, {
      'content-type': exchange.truth.stream ? SSE : 'application/json',
      'content-encoding': 'gzip',
      'content-length': String(bytes.length),
    });
    await exchange.end(bytes);
  };
}
