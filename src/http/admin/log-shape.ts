import type { LogNames, LogRow } from '#logs';
import type { JsonObject } from '#base';
import { Type } from 'typebox';
import { formatUsd, toSnakeCase } from '#base';
import { encodeTokens } from '#logs';
import { encodeTime, orNull, timeShape, usdShape } from './fields.ts';

const text = orNull(Type.String());

export const logShape = Type.Object(
  {
    object: Type.Literal('log'),
    id: Type.String({ description: 'The id of the request.' }),
    organization_id: Type.String(),
    project_id: Type.String(),
    key_id: Type.String(),
    member_id: orNull(Type.String({ description: 'The member who owns the key.' })),
    session_token_id: text,
    end_user_id: orNull(
      Type.String({ description: 'From the session token; else as the request names it.' }),
    ),
    started_at: timeShape,
    endpoint: Type.String(),
    format: Type.String(),
    stream: Type.Boolean(),
    requested_model: Type.String(),
    model_id: text,
    provider_id: text,
    finish_reason: Type.String(),
    status: Type.Integer(),
    error_code: text,
    error_message: text,
    cached: Type.Boolean(),
    estimated: Type.Boolean(),
    usage: Type.Object({}, { additionalProperties: Type.Number(), description: 'Disjoint parts.' }),
    input_tokens: Type.Integer({ description: 'All of the prompt, cached or not.' }),
    cached_tokens: Type.Integer({ description: 'Of the input: read from the prompt cache.' }),
    cache_write_tokens: Type.Integer({ description: 'Of the input: written to the prompt cache.' }),
    output_tokens: Type.Integer({ description: 'All of the answer, with its reasoning.' }),
    reasoning_tokens: Type.Integer({ description: 'Of the output.' }),
    cost: usdShape,
    provider_cost: Type.Optional(usdShape),
    price_version: text,
    modifiers: orNull(
      Type.Array(
        Type.Object({
          model: Type.String(),
          price_version: Type.String(),
          usage: Type.Object(
            {},
            { additionalProperties: Type.Number(), description: 'Without counts of 0.' },
          ),
          factors: Type.Array(
            Type.Object({
              name: Type.String({ description: 'The field that changed the price, such as `service_tier`.' }),
              value: Type.String({ description: 'The value that was billed.' }),
              requested: text,
              factor: Type.String({ description: 'Multiplies the price of the tokens.' }),
              unpriced: Type.Boolean({
                description: 'Its price is not known, and the operator allows that.',
              }),
              amount: usdShape,
            }),
          ),
          amount: usdShape,
        }),
        { description: 'The parts that were priced one by one; null: the usage at `price_version`.' },
      ),
    ),
    attempts: Type.Array(
      Type.Object({
        provider_id: Type.String(),
        model: Type.String({ description: "The provider's name of the model." }),
        reason: orNull(Type.String({ description: 'Why it was made: docs/routing.md.' })),
        experiment: orNull(Type.String({ description: 'The experiment and its variant, `name/variant`.' })),
        wait_ms: Type.Number({ description: 'How long the request waited for it.' }),
        price: orNull(
          Type.Object(
            { input: Type.String(), output: Type.String() },
            { description: 'Of an attempt that did not answer: USD per million tokens.' },
          ),
        ),
        outcome: Type.String(),
        status: orNull(Type.Integer()),
        duration_ms: Type.Number(),
        credential: orNull(
          Type.String({
            description:
              '`own` if it was the organization’s; the name of the gateway’s, where the provider has several.',
          }),
        ),
      }),
    ),
    first_event_ms: orNull(Type.Number()),
    duration_ms: Type.Number(),
    client_request_id: text,
    user_agent: text,
    client_name: orNull(Type.String({ description: 'Such as `claude-code`.' })),
    client_version: text,
    session_id: orNull(Type.String({ description: 'The client’s own: docs/usage.md.' })),
    agent_id: orNull(Type.String({ description: 'Null for the main agent of a session.' })),
    parent_agent_id: text,
    run_id: text,
    turn_id: text,
    tags: Type.Record(Type.String(), Type.String()),
    upstream_id: text,
  },
  { title: 'Log' },
);

/** The outcome of a request. The provider's cost is included only for the operator (`isOperator`). */
export function encodeLog(row: LogRow, isOperator: boolean): JsonObject {
  const { requestId, organizationId, projectId, keyId } = row;
  return {
    object: 'log',
    id: requestId,
    organization_id: organizationId,
    project_id: projectId,
    key_id: keyId,
    member_id: row.memberId ?? null,
    session_token_id: row.sessionTokenId ?? null,
    end_user_id: row.endUserId ?? null,
    started_at: encodeTime(row.startedAt),
    endpoint: row.endpoint,
    format: row.format,
    stream: row.stream,
    requested_model: row.requestedModel,
    model_id: row.modelId ?? null,
    provider_id: row.providerId ?? null,
    finish_reason: row.finishReason,
    status: row.status,
    error_code: row.errorCode ?? null,
    error_message: row.errorMessage ?? null,
    cached: row.cached,
    estimated: row.estimated,
    usage: encodeUsage(row.usage),
    ...encodeTokens(row.usage),
    cost: formatUsd(BigInt(row.customer)),
    ...(isOperator && { provider_cost: formatUsd(BigInt(row.provider)) }),
    price_version: row.priceVersion ?? null,
    modifiers: row.modifiers ? encodeParts(row.modifiers) : null,
    attempts: encodeAttempts(row.attempts),
    first_event_ms: row.firstEventMs ?? null,
    duration_ms: row.durationMs,
    client_request_id: row.clientRequestId ?? null,
    user_agent: row.userAgent ?? null,
    ...encodeNames(row),
    upstream_id: row.upstreamId ?? null,
  };
}

function encodeNames(row: LogNames): JsonObject {
  return {
    client_name: row.clientName ?? null,
    client_version: row.clientVersion ?? null,
    session_id: row.sessionId ?? null,
    agent_id: row.agentId ?? null,
    parent_agent_id: row.parentAgentId ?? null,
    run_id: row.runId ?? null,
    turn_id: row.turnId ?? null,
    tags: { ...row.tags },
  };
}

function encodeParts(parts: NonNullable<LogRow['modifiers']>): JsonObject[] {
  return parts.map(({ model, priceVersion, usage, factors, amount }) => ({
    model,
    price_version: priceVersion,
    usage: encodeUsage(usage),
    factors: factors.map(({ name, value, requested, factor, unpriced = false, ...added }) => ({
      name,
      value,
      requested: requested ?? null,
      factor,
      unpriced,
      amount: formatUsd(BigInt(added.amount)),
    })),
    amount: formatUsd(BigInt(amount)),
  }));
}

function encodeAttempts(attempts: LogRow['attempts']): JsonObject[] {
  return attempts.map(({ providerId, externalId, outcome, status, durationMs, credential, ...why }) => ({
    provider_id: providerId,
    model: externalId,
    reason: why.reason ?? null,
    experiment: why.experiment ?? null,
    wait_ms: why.waitedMs ?? 0,
    price: why.price ?? null,
    outcome,
    status: status ?? null,
    duration_ms: durationMs,
    credential: credential ?? null,
  }));
}

function encodeUsage(usage: Partial<LogRow['usage']>): JsonObject {
  return Object.fromEntries(Object.entries(usage).map(([name, count]) => [toSnakeCase(name), count]));
}
