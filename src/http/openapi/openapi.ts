import type { JsonObject } from '#base';
import { CLIENT_FACTS } from '#wire';
import type { Endpoint, QueryText, ResponseSpec } from '../endpoint.ts';
import { Components } from './openapi-components.ts';

const TEXT = { type: 'string' };

/** An OpenAPI 3.1 document of the given endpoints. */
export function createOpenapi(endpoints: readonly Endpoint[], version: string): JsonObject {
  const paths: JsonObject = {};
  const components = new Components();
  for (const endpoint of endpoints) {
    const path = endpoint.template;
    paths[path] = {
      ...(paths[path] as JsonObject | undefined),
      [endpoint.method.toLowerCase()]: describe(endpoint, components),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Sluice', version, description: 'One base URL for every language model.' },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        adminKey: { type: 'http', scheme: 'bearer', description: 'An admin key (`slcadm_…`).' },
        dashboardSession: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-sluice_session',
          description: 'A session of the dashboard: docs/dashboard.md.',
        },
        googApiKey: { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
      },
      schemas: components.schemas,
      responses: components.responses,
    },
    paths,
  };
}

/** Its text, composed when it is first read: that takes as long as a tenth of a start. */
export function createOpenapiReader(endpoints: readonly Endpoint[], version: string): () => string {
  let text: string | undefined;
  return () => (text ??= JSON.stringify(createOpenapi(endpoints, version)));
}

function describe(endpoint: Endpoint, components: Components): JsonObject {
  const { summary, query = {}, headers = {}, responses, template } = endpoint;
  const parameters = [
    ...[...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: TEXT,
    })),
    ...Object.entries(query).map(([name, member]) => ({ name, in: 'query', ...describeMember(member) })),
    ...Object.entries(headers).map(([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: TEXT,
    })),
  ];
  return {
    summary,
    security: listSecurity(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...describeBody(endpoint, components),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, spec]) => [
        status,
        describeResponse(endpoint, { status, spec, components }),
      ]),
    ),
  };
}

function describeMember(member: string | QueryText): JsonObject {
  if (typeof member === 'string') return { description: member, schema: TEXT };
  return { description: member.description, schema: { ...TEXT, minLength: member.minLength } };
}

function listSecurity({ auth }: Endpoint): Record<string, never[]>[] {
  if (auth === 'none') return [];
  if (auth === 'admin') return [{ adminKey: [] }, { apiKey: [] }, { dashboardSession: [] }];
  const secured = [{ bearer: [] }, { apiKey: [] }, { googApiKey: [] }];
  return auth === 'optional' ? [{}, ...secured] : secured;
}

function describeBody(
  { body, bodyTypes = ['application/json'] }: Endpoint,
  components: Components,
): JsonObject {
  if (!body) return {};
  const schema = components.describe(body as unknown as JsonObject);
  const content = Object.fromEntries(bodyTypes.map((type) => [type, { schema }]));
  return { requestBody: { required: true, content } };
}

interface Described {
  status: string;
  spec: ResponseSpec;
  components: Components;
}

/** Refusals are shared: what a status means is the same at most endpoints of a kind. */
function describeResponse(endpoint: Endpoint, { status, spec, components }: Described): JsonObject {
  const { description, schema, contentType = 'application/json' } = spec;
  const content = schema && {
    [contentType]: { schema: components.describe(schema as unknown as JsonObject) },
  };
  const response = { description, ...(content && { content }) };
  if (Number(status) < 400) return response;
  const kind = endpoint.auth === 'admin' ? 'Admin' : CLIENT_FACTS[endpoint.format].title;
  return components.share(`${kind}Error${status}`, response);
}
