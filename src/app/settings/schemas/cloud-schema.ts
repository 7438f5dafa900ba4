import { Type } from 'typebox';

const strict = { additionalProperties: false };
const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
const name = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]*$', description }));

/** What the clouds need besides an address and a key, one block per cloud. */
export const cloudFields = {
  aws: Type.Optional(
    Type.Object(
      {
        region: name('Such as eu-central-1. Default: AWS_REGION.'),
        accessKeyId: text('Signs requests, with secretAccessKey. Default: AWS_ACCESS_KEY_ID.'),
        secretAccessKey: text('Default: AWS_SECRET_ACCESS_KEY.'),
        sessionToken: text('Default: AWS_SESSION_TOKEN.'),
      },
      strict,
    ),
  ),
  azure: Type.Optional(
    Type.Object(
      {
        resource: name('The resource, as in https://<resource>.openai.azure.com.'),
        apiVersion: name('Uses the older addresses with deployments and this version, such as 2024-10-21.'),
        tenantId: text('Of an Entra application, in place of an API key. Default: AZURE_TENANT_ID.'),
        clientId: text('Default: AZURE_CLIENT_ID.'),
        clientSecret: text('Default: AZURE_CLIENT_SECRET.'),
      },
      strict,
    ),
  ),
  google: Type.Optional(
    Type.Object(
      {
        project: name('Default: GOOGLE_VERTEX_PROJECT or GOOGLE_CLOUD_PROJECT.'),
        location: name(
          'Such as europe-west4. Default: GOOGLE_VERTEX_LOCATION or GOOGLE_CLOUD_LOCATION, else global.',
        ),
        credentials: text(
          'The path of a key file or its JSON. Default: GOOGLE_APPLICATION_CREDENTIALS, else the machine’s own.',
        ),
      },
      strict,
    ),
  ),
};
