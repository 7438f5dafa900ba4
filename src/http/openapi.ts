import type { JsonObject } from '#base';
import type { Endpoint, QueryText, ResponseSpec } from './endpoint.ts';

const TEXT = { type: 'string' };

/** An OpenAPI 3.1 document of the given endpoints. */
export function createOpenapi(endpoints: readonly Endpoint[], version: string): JsonObject {
  const paths: JsonObject = {};
  for (const endpoint of endpoints) {
    const path = endpoint.template ?? endpoint.path;
    paths[path] = {
      ...(paths[path] as JsonObject | undefined),
      [endpoint.method.toLowerCase()]: describe(endpoint),
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
        googApiKey: { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
      },
    },
    paths,
  };
}

function describe(endpoint: Endpoint): JsonObject {
  const { summary, query = {}, headers = {}, responses, template = '' } = endpoint;
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
    ...describeBody(endpoint),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, spec]) => [status, describeResponse(spec)]),
    ),
  };
}

function describeMember(member: string | QueryText): JsonObject {
  if (typeof member === 'string') return { description: member, schema: TEXT };
  return { description: member.description, schema: { ...TEXT, minLength: member.minLength } };
}

function listSecurity({ auth }: Endpoint): Record<string, never[]>[] {
  if (auth === 'none') return [];
  if (auth === 'admin') return [{ adminKey: [] }, { apiKey: [] }];
  const secured = [{ bearer: [] }, { apiKey: [] }, { googApiKey: [] }];
  return auth === 'optional' ? [{}, ...secured] : secured;
}

function describeBody({ body, bodyTypes = ['application/json'] }: Endpoint): JsonObject {
  if (!body) return {};
  const schema = body as unknown as JsonObject;
  const content = Object.fromEntries(bodyTypes.map((type) => [type, { schema }]));
  return { requestBody: { required: true, content } };
}

function describeResponse(spec: ResponseSpec): JsonObject {
  return { description: spec.description, ...(spec.schema && { content: toContent(spec) }) };
}

function toContent(spec: ResponseSpec): JsonObject {
  return { [spec.contentType ?? 'application/json']: { schema: spec.schema as unknown as JsonObject } };
}
