import type { Usage } from '#canonical';
import { inputTokensOf } from '#canonical';
import {
  type ObjectType,
  type OutputType,
  converted,
  derived,
  forOperator,
  listOf,
  membersOf,
  named,
  nullableOutput,
  number,
  objectOf,
  outputText,
  real,
  textList,
  textOrNull,
  time,
  usd,
} from '#fields';
import { Type } from 'typebox';
import { missMembers } from './prompt-cache/miss-members.ts';
import type { SessionAgent, SessionSums, SessionTree, SessionTurn } from './sessions/session-tree.ts';
import type { SessionLine } from './sessions/sessions.ts';
import { freshTokensOf, tokenMembers } from './token-members.ts';

/** The share of the prompt that was read from the cache, of 1; undefined without a prompt. */
export function shareCached(usage: Usage): number | undefined {
  const input = inputTokensOf(usage);
  return input === 0 ? undefined : usage.inputCacheRead / input;
}

/** The same in percent. */
export function formatShare(usage: Usage): string {
  const share = shareCached(usage);
  return share === undefined ? '–' : `${(share * 100).toFixed(0)} %`;
}

type Counted = Pick<SessionSums, 'usage' | 'customer' | 'provider' | 'failed' | 'requests'>;

const counts = membersOf<Counted>()({
  ...tokenMembers(),
  freshTokens: derived(
    number('Of the input: neither read from the cache nor written to it.'),
    ({ usage }: Counted) => freshTokensOf(usage),
  ),
  cacheShare: derived(
    nullableOutput(real('The part of the input that was read from the cache.')),
    ({ usage }: Counted) => shareCached(usage) ?? null,
  ),
  customer: named('cost', usd),
  provider: forOperator(named('provider_cost', usd)),
});

const failed = named('failed_requests', number('Those of the requests that ended with an error.'));

const orNever = (pick: (sums: SessionSums) => number) =>
  derived(nullableOutput(time), (sums: SessionSums) => (sums.requests === 0 ? null : pick(sums)));

const sumMembers = membersOf<SessionSums>()({
  startedAt: orNever(({ startedAt }) => startedAt),
  endedAt: orNever(({ endedAt }) => endedAt),
  durationMs: real('Of all requests, which may overlap.'),
  models: textList(''),
  requests: number(),
  failed,
  retries: number('Calls of providers beyond the first of each request.'),
  misses: named('cache_misses', number('Requests that missed the prompt cache.')),
  missedTokens: number('What they could have read from it.'),
  missedCost: usd,
  cacheSaved: nullableOutput({
    ...usd,
    answer: Type.String({
      description: 'USD that cache marks saved which the gateway set; null without them.',
    }),
  }),
  ...counts,
});

/** A session in a list. */
export const sessionLine = objectOf<SessionLine>()(
  {
    sessionId: named('id', outputText()),
    organizationId: outputText(),
    clientName: textOrNull(),
    endUserId: textOrNull(),
    startedAt: time,
    lastAt: named('last_request_at', time),
    requests: number(),
    failed,
    keyIds: listOf(outputText(), 'The keys of its requests; the first 10.'),
    agents: number('Other than the main agent.'),
    ...counts,
  },
  { name: 'session_summary' },
);

type Miss = SessionTurn['cacheMisses'][number];

const turnMiss = converted(
  objectOf<Miss['miss'] & Pick<Miss, 'requestId'>>()({ requestId: outputText(), ...missMembers }),
  ({ requestId, miss }: Miss) => ({ ...miss, requestId }),
);

const turn = objectOf<SessionTurn>()(
  {
    turnId: named('id', textOrNull('Null if the client reports no turns: one request.')),
    requestIds: textList(''),
    status: derived(
      number('The HTTP status of its last request.'),
      ({ outcome }: SessionTurn) => outcome.status,
    ),
    errorCode: derived(
      textOrNull('Of its last request; null if that did not fail.'),
      ({ outcome }: SessionTurn) => outcome.errorCode ?? null,
    ),
    ...sumMembers,
    cacheMisses: named('misses', listOf(turnMiss)),
  },
  { name: 'turn' },
);

/** Agents contain those that they started, in the same shape. */
const agents: OutputType<readonly SessionAgent[]> = {
  valueKind: 'object',
  answer: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'The agents it started, in the same shape.',
  }),
  encode: (some, isOperator) => some.map((one) => agent.encode(one, isOperator)),
};

const agent: ObjectType<SessionAgent> = objectOf<SessionAgent>()(
  {
    agentId: named('id', textOrNull('Null for the main agent.')),
    parentAgentId: textOrNull(),
    total: objectOf<SessionSums>()(sumMembers, { description: 'With the agents it started.' }),
    own: objectOf<SessionSums>()(sumMembers, { description: 'Of its turns alone.' }),
    turns: listOf(turn),
    agents,
  },
  { name: 'agent' },
);

/** The tree of a session, with the sums of its main agent. */
export const sessionType: ObjectType<SessionTree> = converted(
  objectOf<SessionTree & SessionSums>()(
    {
      sessionId: named('id', outputText()),
      organizationId: outputText(),
      clientName: textOrNull(),
      clientVersion: textOrNull(),
      ...sumMembers,
      main: agent,
    },
    { name: 'session' },
  ),
  (tree) => ({ ...tree.main.total, ...tree }),
);
