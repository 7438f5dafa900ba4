import { Type } from 'typebox';

/** The `server` part of `sluice.yaml`: where to listen, and who can connect. */
export const serverSchema = Type.Object(
  {
    host: Type.Optional(
      Type.String({ minLength: 1, description: 'Address to listen on. Default: 127.0.0.1.' }),
    ),
    port: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65_535,
        description: 'Port to listen on; 0 takes any. Default: 8787.',
      }),
    ),
    publicBind: Type.Optional(
      Type.Boolean({ description: 'Allows an address that other machines can reach.' }),
    ),
    reusePort: Type.Optional(
      Type.Boolean({
        description:
          'Shares the port with other gateways of this machine that set it, too (SO_REUSEPORT). Default: false.',
      }),
    ),
    maxConnections: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description:
          'Connections of callers that may be open at once. Default: as many as the file descriptors of the process allow.',
      }),
    ),
    readyDelaySeconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 600,
        description:
          'How long a stopping gateway reports that it is not ready before it closes its port. Default: 5 in Kubernetes, else 0.',
      }),
    ),
    hosts: Type.Optional(
      Type.Array(
        Type.String({
          pattern:
            '^(\\*|(\\*\\.)?[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*|\\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\\]?)$',
          maxLength: 260,
          description: 'A name or an address without a port, *.example.com for all below a name, * for any.',
        }),
        {
          uniqueItems: true,
          description:
            'Names that requests may have in Host, besides localhost and 127.0.0.1. Default: none if only this machine can connect, any on a public address.',
        },
      ),
    ),
    corsOrigins: Type.Optional(
      Type.Array(
        Type.String({
          pattern: '^(\\*|https?://[A-Za-z0-9._-]+(:\\d{1,5})?)$',
          maxLength: 260,
          description: 'An origin such as https://app.example.com, without a path, or * for any.',
        }),
        {
          uniqueItems: true,
          description: 'Origins whose pages may call /v1 and /v1beta from a browser (CORS). Default: none.',
        },
      ),
    ),
    trustedProxies: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        description: 'Addresses and networks of proxies whose X-Forwarded-For is trusted. Default: none.',
      }),
    ),
  },
  { additionalProperties: false },
);
