import { Type } from 'typebox';

/** `alerts` of the configuration. */
export const alertsSchema = Type.Optional(
  Type.Object(
    {
      url: Type.String({ minLength: 1, description: 'Where alerts are posted.' }),
      secret: Type.String({
        minLength: 1,
        description: 'Signs them by Standard Webhooks: whsec_ and at least 24 bytes in base64.',
      }),
      thresholds: Type.Optional(
        Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
          maxItems: 10,
          uniqueItems: true,
          description: 'Percentages of budgets. Default: 50, 80 and 100.',
        }),
      ),
      forecast: Type.Optional(
        Type.Boolean({
          description:
            'Whether budgets are reported that will not last until the end of their period. Default: true.',
        }),
      ),
      ledgerCheckHours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 8_760,
          description: 'How often `ledger check` runs; 0: never. Default: 24.',
        }),
      ),
      sessionLossUsd: Type.Optional(
        Type.String({
          pattern: String.raw`^\d{1,9}(\.\d{1,12})?$`,
          description:
            'What a session of a client loses by missed prompt caches until it is reported, in USD; "0": never. Default: "5".',
        }),
      ),
    },
    { additionalProperties: false, description: 'Webhooks to the operator.' },
  ),
);
