import type { LogMember } from '#logs';
import { type TSchema, Type } from 'typebox';
import { orNull, timeShape, usdShape } from './fields.ts';
import { missShape } from './miss-shape.ts';

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
    units: orNull(
      Type.Array(Type.Object({ unit: Type.String(), kind: text, count: Type.Number() })),
      'What is charged by the unit and is not a token, such as images, searches or seconds of video.',
    ),
    modifiers: orNull(
      Type.Array(
        Type.Object({
          provider_id: orNull(Type.String(), 'Who billed it; null in rows of earlier versions.'),
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
        connect_ms: Type.Number({
          description: 'How long it waited for a connection, after its beginning; 0 on one that was open.',
        }),
        price: orNull(
          Type.Object(
            { input: Type.String(), output: Type.String() },
            { description: 'Of an attempt that did not answer: USD per million tokens.' },
          ),
        ),
        outcome: Type.String(),
        status: orNull(Type.Integer()),
        start_ms: orNull(Type.Number({ description: 'When it began, from the arrival of the request.' })),
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
    cache_miss: missShape,
    cache_saved: orNull(
      Type.String({ description: 'USD that cache marks saved which the gateway set; null without them.' }),
    ),
  } satisfies Record<LogMember, TSchema> & Record<string, TSchema>,
  { title: 'Log' },
);
