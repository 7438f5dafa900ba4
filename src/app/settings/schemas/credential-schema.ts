import { Type } from 'typebox';
import { MOST_LIMIT } from '#accounts';
import { cloudFields } from './cloud-schema.ts';

const strict = { additionalProperties: false };
const limit = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_LIMIT, description }));

/** How much may be sent with a credential, or to a provider with all of them. */
export const limitsSchema = Type.Optional(
  Type.Object(
    {
      concurrency: limit('Requests at the same time.'),
      requestsPerMinute: limit('Calls in any minute.'),
      tokensPerMinute: limit('Tokens of prompts and answers in any minute, cached ones too.'),
    },
    { ...strict, description: 'What the provider allows; beyond it requests wait or go elsewhere.' },
  ),
);

/** `queue` of a provider. */
export const queueSchema = Type.Optional(
  Type.Object(
    {
      length: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 10_000, description: 'Requests that may wait. Default: 100.' }),
      ),
      waitMs: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 60_000, description: 'How long each waits. Default: 1000.' }),
      ),
    },
    { ...strict, description: 'Where requests wait while every credential is at its limits.' },
  ),
);

/** How a provider is called. */
export const accessFields = {
  baseUrl: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s?#]+$',
      description: 'An address, such as https://api.example.com/v1.',
    }),
  ),
  apiKey: Type.Optional(
    Type.String({ description: 'Best written as ${NAME}, which reads the environment.' }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String({ pattern: '^[A-Za-z0-9-]+$' }), Type.String({ pattern: '^[\\x20-\\x7e]*$' }), {
      description: 'Headers sent with every request to this provider.',
    }),
  ),
  ...cloudFields,
};

/** `credentials` of a provider. */
export const credentialsSchema = Type.Optional(
  Type.Array(
    Type.Object(
      {
        name: Type.String({
          pattern: '^(?!own$)[a-z0-9][a-z0-9.-]*$',
          maxLength: 50,
          description:
            'Shown in logs, and stored with the objects it creates at the provider; "default" is the one without a name.',
        }),
        weight: Type.Optional(
          Type.Number({
            minimum: 0,
            maximum: 1_000_000,
            description: 'Its share of the requests; 0: only if no other can be used. Default: 1.',
          }),
        ),
        ...accessFields,
        limits: limitsSchema,
      },
      strict,
    ),
    {
      minItems: 1,
      maxItems: 100,
      description: 'Several keys or accounts of the provider, in place of one; each has its own health.',
    },
  ),
);
