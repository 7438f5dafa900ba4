import { Type } from 'typebox';
import { cloudFields } from './clouds/cloud-schema.ts';

/** How a provider is called. */
export const accessFields = {
  baseUrl: Type.Optional(
    Type.String({ pattern: '^https?://[^\\s?#]+$', description: 'Such as https://api.example.com/v1.' }),
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
            'Shown in logs, and kept with what it creates at the provider; "default" is the one without a name.',
        }),
        weight: Type.Optional(
          Type.Number({
            minimum: 0,
            maximum: 1_000_000,
            description: 'Its share of the requests; 0: only if no other can be used. Default: 1.',
          }),
        ),
        ...accessFields,
      },
      { additionalProperties: false },
    ),
    {
      minItems: 1,
      maxItems: 100,
      description: 'Several keys or accounts of the provider, in place of one; each has its own health.',
    },
  ),
);
