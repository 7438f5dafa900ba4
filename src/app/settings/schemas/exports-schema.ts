import { type Static, Type } from 'typebox';
import { EXPORT_TYPES } from '#exports';

const optionalText = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

const exportSchema = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
      description: 'Its cursor is kept under this name.',
    }),
    type: Type.Enum([...EXPORT_TYPES], { description: 'Where the rows go.' }),
    organization: optionalText('Only rows of this organization, by its id.'),
    from: Type.Optional(
      Type.Enum(['now', 'beginning'], {
        description: 'Where a new export begins: with rows from now on, or the oldest kept. Default: now.',
      }),
    ),
    batch: Type.Optional(
      Type.Object(
        {
          rows: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 10_000, description: 'The most rows of a batch.' }),
          ),
          seconds: Type.Optional(
            Type.Number({
              minimum: 0,
              maximum: 3_600,
              description: 'How long rows wait for a batch to fill.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    path: optionalText('file: an absolute path of a folder.'),
    rotateMiB: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: 'file: the size after which a new one begins; each day has its own, too. Default: 256.',
      }),
    ),
    url: optionalText('http, clickhouse: the address.'),
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'http: signs each batch by Standard Webhooks, as whsec_ and at least 24 bytes in base64.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9-]+$' }), Type.String(), {
        description: 'http: sent with each batch.',
      }),
    ),
    format: Type.Optional(
      Type.Enum(['json', 'ndjson'], {
        description: 'http: one JSON object with the rows in `data`, or a row per line. Default: json.',
      }),
    ),
    bucket: Type.Optional(
      Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$', description: 's3: the bucket.' }),
    ),
    region: optionalText('s3: the region. Default: us-east-1.'),
    endpoint: optionalText('s3: the address of a service other than Amazon’s; the bucket is in its path.'),
    prefix: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_.=-]+(/[A-Za-z0-9_.=-]+)*/?$',
        description: 's3: in front of the key of each object.',
      }),
    ),
    accessKeyId: optionalText('s3.'),
    secretAccessKey: optionalText('s3.'),
    sessionToken: optionalText('s3: of temporary credentials.'),
    database: Type.Optional(
      Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$', description: 'clickhouse. Default: default.' }),
    ),
    table: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
        description: 'clickhouse. Default: sluice_requests.',
      }),
    ),
    user: optionalText('clickhouse.'),
    password: optionalText('clickhouse.'),
  },
  { additionalProperties: false },
);

export type ExportEntry = Static<typeof exportSchema>;

/** `exports` of the configuration. */
export const exportsSchema = Type.Optional(
  Type.Array(exportSchema, {
    maxItems: 20,
    description: 'Where rows of the request log are copied, at least once.',
  }),
);
