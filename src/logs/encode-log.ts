import type { JsonObject } from '#base';
import { toSnakeCaseMembers } from '#base';
import { Type } from 'typebox';
import {
  type OutputType,
  derived,
  flag,
  forOperator,
  listOf,
  mapOf,
  named,
  nullableOutput,
  number,
  objectOf,
  outputText,
  real,
  textOrNull,
  time,
  usdDigits,
} from '#fields';
import type { LogAttempt, LogPart, LogRow, LogUnit } from './rows/log-row.ts';
import { missMembers } from './prompt-cache/miss-members.ts';
import { tokenMembers } from './token-members.ts';

/** Members that are not in the JSON. */
type Hidden = 'externalId' | 'credential' | 'promptChain';

const textMember = textOrNull();

/** Counts by the names of their parts. */
const countsOf = (description: string): OutputType<object> => ({
  valueKind: 'object',
  answer: Type.Object({}, { additionalProperties: Type.Number(), description }),
  encode: (counts) => toSnakeCaseMembers(counts),
});

const unit = objectOf<LogUnit>()({ unit: outputText(), kind: textMember, count: real() });

const factor = objectOf<LogPart['factors'][number]>()({
  name: outputText('The field that changed the price, such as `service_tier`.'),
  value: outputText('The value that was billed.'),
  requested: textMember,
  factor: outputText('Multiplies the price of the tokens.'),
  unpriced: derived(
    flag('', 'Its price is not known, and the operator allows that.'),
    ({ unpriced }: LogPart['factors'][number]) => unpriced ?? false,
  ),
  amount: usdDigits,
});

const part = objectOf<LogPart>()({
  providerId: nullableOutput(outputText(), 'Who billed it; null in rows of earlier versions.'),
  model: outputText(),
  priceVersion: outputText(),
  usage: countsOf('Without counts of 0.'),
  factors: listOf(factor),
  amount: usdDigits,
});

const price = objectOf<NonNullable<LogAttempt['price']>>()(
  { input: outputText(), output: outputText() },
  { description: 'Of an attempt that did not answer: USD per million tokens.' },
);

const attempt = objectOf<LogAttempt>()({
  providerId: outputText(),
  externalId: named('model', outputText("The provider's name of the model.")),
  reason: textOrNull('Why it was made: docs/routing.md.'),
  experiment: textOrNull('The experiment and its variant, `name/variant`.'),
  waitMs: derived(real('How long the request waited for it.'), ({ waitedMs }: LogAttempt) => waitedMs ?? 0),
  connectMs: derived(
    real('How long it waited for a connection, after its beginning; 0 on one that was open.'),
    ({ connectMs }: LogAttempt) => connectMs ?? 0,
  ),
  price: nullableOutput(price),
  outcome: outputText(),
  status: nullableOutput(number()),
  startMs: nullableOutput(real('When it began, from the arrival of the request.')),
  durationMs: real(),
  credential: textOrNull(
    '`own` if it was the organization’s; the name of the gateway’s, where the provider has several.',
  ),
});

const members = {
  requestId: named('id', outputText('The id of the request.')),
  organizationId: outputText(),
  projectId: outputText(),
  keyId: outputText(),
  memberId: textOrNull('The member who owns the key.'),
  sessionTokenId: textMember,
  endUserId: textOrNull('From the session token; else as the request names it.'),
  startedAt: time,
  endpoint: outputText(),
  format: outputText(),
  stream: flag(''),
  requestedModel: outputText(),
  modelId: textMember,
  providerId: textMember,
  finishReason: outputText(),
  status: number(),
  errorCode: textMember,
  errorMessage: textMember,
  cached: flag(''),
  estimated: flag(''),
  usage: countsOf('Disjoint parts.'),
  ...tokenMembers('All of the prompt, cached or not.', 'All of the answer, with its reasoning.'),
  customer: named('cost', usdDigits),
  provider: forOperator(named('provider_cost', usdDigits)),
  priceVersion: textMember,
  units: nullableOutput(
    listOf(unit),
    'What is charged by the unit and is not a token, such as images, searches or seconds of video.',
  ),
  modifiers: nullableOutput(
    listOf(part, 'The parts that were priced one by one; null: the usage at `price_version`.'),
  ),
  attempts: listOf(attempt),
  firstEventMs: nullableOutput(real()),
  durationMs: real(),
  clientRequestId: textMember,
  userAgent: textMember,
  clientName: textOrNull('Such as `claude-code`.'),
  clientVersion: textMember,
  sessionId: textOrNull('The client’s own: docs/usage.md.'),
  agentId: textOrNull('Null for the main agent of a session.'),
  parentAgentId: textMember,
  runId: textMember,
  turnId: textMember,
  tags: derived(mapOf(outputText()), ({ tags = {} }: LogRow) => tags),
  upstreamId: textMember,
  cacheMiss: nullableOutput(
    objectOf<NonNullable<LogRow['cacheMiss']>>()(missMembers, {
      description:
        'Why the prompt was not read from the prompt cache; null if it was, or if nothing is known.',
    }),
  ),
  cacheSaved: nullableOutput({
    ...usdDigits,
    answer: Type.String({
      description: 'USD that cache marks saved which the gateway set; null without them.',
    }),
  }),
} satisfies Record<Exclude<keyof LogRow, Hidden>, unknown>;

/** A log row in responses. */
export const logType = objectOf<LogRow>()(members, { name: 'log', title: 'Log' });

/** The outcome of a request. The provider's cost is included only for the operator (`isOperator`). */
export const encodeLog = (row: LogRow, isOperator: boolean): JsonObject => logType.encode(row, isOperator);
