import { Type } from 'typebox';

const strict = { additionalProperties: false };

/** `ledger` of the configuration. */
export const ledgerSchema = Type.Optional(
  Type.Object(
    {
      leases: Type.Optional(
        Type.Boolean({
          description:
            'Whether a busy key is served from a lease: faster, and its requests are in the log up to 100 ms later. Default: true.',
        }),
      ),
      durability: Type.Optional(
        Type.Union([Type.Literal('relaxed'), Type.Literal('strict')], {
          description:
            'relaxed (default): requests on leases survive a crash of the process at once, and a power failure after 20 ms and a disk sync. strict: they survive a power failure at once, at the cost of two disk syncs per request.',
        }),
      ),
    },
    { ...strict, description: 'How the cost of requests is kept.' },
  ),
);
