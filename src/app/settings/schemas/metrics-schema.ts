import { Type } from 'typebox';

/** `metrics` of the configuration. */
export const metricsSchema = Type.Optional(
  Type.Object(
    {
      port: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 65_535,
          description: 'The port of `/metrics` in the Prometheus format; 0 takes any. Default: no metrics.',
        }),
      ),
      adminKey: Type.Optional(
        Type.Boolean({
          description:
            'Whether they are also at `/metrics` of the gateway’s own port, for admin keys with the scope logs:read. Default: false.',
        }),
      ),
      host: Type.Optional(
        Type.String({
          minLength: 1,
          description:
            'The address to serve them on: anyone who can reach it can read them. Default: 127.0.0.1.',
        }),
      ),
    },
    { additionalProperties: false, description: 'Metrics for Prometheus.' },
  ),
);
