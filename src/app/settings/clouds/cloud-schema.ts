import { Type } from 'typebox';

const strict = { additionalProperties: false };
const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
const name = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]*$', description }));

/** What the clouds want beside an address and a key, one block per cloud. */
export const cloudFields = {
  aws: Type.Optional(
    Type.Object(
      {
        region: name('Such as eu-central-1; AWS_REGION unless given.'),
        accessKeyId: text('Signs requests, with secretAccessKey; AWS_ACCESS_KEY_ID unless given.'),
        secretAccessKey: text('AWS_SECRET_ACCESS_KEY unless given.'),
        sessionToken: text('AWS_SESSION_TOKEN unless given.'),
      },
      strict,
    ),
  ),
  azure: Type.Optional(
    Type.Object(
      {
        resource: name('The resource, as in https://<resource>.openai.azure.com.'),
        apiVersion: name('Uses the older addresses with deployments and this version, such as 2024-10-21.'),
        tenantId: text(
          'Of an application of Entra, in the place of an API key; AZURE_TENANT_ID unless given.',
        ),
        clientId: text('AZURE_CLIENT_ID unless given.'),
        clientSecret: text('AZURE_CLIENT_SECRET unless given.'),
      },
      strict,
    ),
  ),
  google: Type.Optional(
    Type.Object(
      {
        project: name('GOOGLE_VERTEX_PROJECT or GOOGLE_CLOUD_PROJECT unless given.'),
        location: name(
          'Such as europe-west4; GOOGLE_VERTEX_LOCATION or GOOGLE_CLOUD_LOCATION unless given, else global.',
        ),
        credentials: text(
          'A key file’s path or its JSON; GOOGLE_APPLICATION_CREDENTIALS unless given, else the machine’s own.',
        ),
      },
      strict,
    ),
  ),
};
