import { Type } from 'typebox';

/** What `sluice.yaml` says under `server`: where to listen, and for whom. */
export const serverSchema = Type.Object(
  {
    host: Type.Optional(
      Type.String({ minLength: 1, description: 'Address to listen on; 127.0.0.1 unless given.' }),
    ),
    port: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 65_535, description: '8787 unless given; 0 takes any.' }),
    ),
    publicBind: Type.Optional(
      Type.Boolean({ description: 'Allows an address that other machines can reach.' }),
    ),
    maxConnections: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description:
          'Connections of callers that may be open at once; as many as the file descriptors of the process allow unless given.',
      }),
    ),
    readyDelaySeconds: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 600,
        description:
          'How long a stopping gateway says that it is not ready before it closes its port; 5 in Kubernetes, else 0, unless given.',
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
            'What requests may call this gateway in Host, besides localhost and 127.0.0.1. Unless given: nothing else where only this machine can reach it, anything on a public address.',
        },
      ),
    ),
    trustedProxies: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        description:
          'Addresses and networks of proxies whose X-Forwarded-For says who calls; none unless given.',
      }),
    ),
  },
  { additionalProperties: false },
);
