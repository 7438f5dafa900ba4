import { Type } from 'typebox';

/** `catalogue` of the configuration. */
export const catalogueSchema = Type.Optional(
  Type.Object(
    {
      url: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'Where the feed is published; its signature is at the same address with .sig. Default: feeds are brought by `catalogue update FILE` only.',
        }),
      ),
      publicKey: Type.String({
        minLength: 1,
        description: 'The key that feeds must be signed with, as `catalogue keygen` prints it: ed25519:…',
      }),
      refreshHours: Type.Optional(
        Type.Number({
          minimum: 0.1,
          maximum: 720,
          description: 'How often the feed is fetched, by one of all replicas. Default: 6.',
        }),
      ),
      noticeHours: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 2_160,
          description: 'How long changed prices and removals are announced before they count. Default: 24.',
        }),
      ),
    },
    { additionalProperties: false, description: 'Models and prices from a signed feed.' },
  ),
);
