import { Type } from 'typebox';

const LONGEST_MS = 2_147_483_647;

export const milliseconds = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: LONGEST_MS, description }));

const timeoutFields = {
  connectMs: milliseconds('For connecting to a provider.'),
  firstEventMs: milliseconds(
    'From the request to the first event of a stream. Another answer may take five times as long.',
  ),
  idleMs: milliseconds('Between two events of an answer.'),
  totalMs: milliseconds('For a whole answer.'),
};

/** The `timeouts` part of `sluice.yaml`. */
export const timeoutsSchema = Type.Optional(
  Type.Object(
    {
      ...timeoutFields,
      afterLeavingMs: milliseconds(
        'For the rest of an answer whose client has disconnected, at providers that bill it anyway. Default: 60000.',
      ),
    },
    { additionalProperties: false },
  ),
);

/** `timeouts` of a provider. */
export const providerTimeoutsSchema = Type.Optional(
  Type.Object(timeoutFields, {
    additionalProperties: false,
    description: 'Where they differ from `timeouts` of all providers.',
  }),
);
