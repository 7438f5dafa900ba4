import { Type } from 'typebox';
import { orNull, timeShape, usdShape } from './fields.ts';
import { missMembers } from './miss-shape.ts';

const counts = {
  input_tokens: Type.Integer(),
  cached_tokens: Type.Integer({ description: 'Of the input: read from the prompt cache.' }),
  cache_write_tokens: Type.Integer({ description: 'Of the input: written to the prompt cache.' }),
  output_tokens: Type.Integer(),
  reasoning_tokens: Type.Integer({ description: 'Of the output.' }),
  fresh_tokens: Type.Integer({ description: 'Of the input: neither read from the cache nor written to it.' }),
  cache_share: orNull(Type.Number({ description: 'The part of the input that was read from the cache.' })),
  cost: usdShape,
  provider_cost: Type.Optional(usdShape),
};

const failedShape = Type.Integer({ description: 'Those of the requests that ended with an error.' });

const sums = {
  started_at: orNull(timeShape),
  ended_at: orNull(timeShape),
  duration_ms: Type.Number({ description: 'Of all requests, which may overlap.' }),
  models: Type.Array(Type.String()),
  requests: Type.Integer(),
  failed_requests: failedShape,
  retries: Type.Integer({ description: 'Calls of providers beyond the first of each request.' }),
  cache_misses: Type.Integer({ description: 'Requests that missed the prompt cache.' }),
  missed_tokens: Type.Integer({ description: 'What they could have read from it.' }),
  missed_cost: usdShape,
  cache_saved: orNull(
    Type.String({ description: 'USD that cache marks saved which the gateway set; null without them.' }),
  ),
  ...counts,
};

const names = {
  organization_id: Type.String(),
  client_name: orNull(Type.String()),
};

export const sessionLineShape = Type.Object({
  object: Type.Literal('session_summary'),
  id: Type.String(),
  ...names,
  end_user_id: orNull(Type.String()),
  started_at: timeShape,
  last_request_at: timeShape,
  requests: Type.Integer(),
  failed_requests: failedShape,
  key_ids: Type.Array(Type.String(), { description: 'The keys of its requests; the first 10.' }),
  agents: Type.Integer({ description: 'Other than the main agent.' }),
  ...counts,
});

export const sessionShape = Type.Object({
  object: Type.Literal('session'),
  id: Type.String(),
  ...names,
  client_version: orNull(Type.String()),
  ...sums,
  main: Type.Object({
    object: Type.Literal('agent'),
    id: orNull(Type.String({ description: 'Null for the main agent.' })),
    parent_agent_id: orNull(Type.String()),
    total: Type.Object(sums, { description: 'With the agents it started.' }),
    own: Type.Object(sums, { description: 'Of its turns alone.' }),
    turns: Type.Array(
      Type.Object({
        object: Type.Literal('turn'),
        id: orNull(Type.String({ description: 'Null if the client reports no turns: one request.' })),
        request_ids: Type.Array(Type.String()),
        status: Type.Integer({ description: 'The HTTP status of its last request.' }),
        error_code: orNull(Type.String({ description: 'Of its last request; null if that did not fail.' })),
        ...sums,
        misses: Type.Array(Type.Object({ request_id: Type.String(), ...missMembers })),
      }),
    ),
    agents: Type.Array(Type.Object({}, { additionalProperties: true }), {
      description: 'The agents it started, in the same shape.',
    }),
  }),
});
