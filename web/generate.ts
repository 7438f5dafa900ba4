import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Writes what forms use of the API's description to `src/api/body-members.ts`, or another file. */
const target = process.argv[2] ?? fileURLToPath(new URL('src/api/body-members.ts', import.meta.url));

interface Schema {
  type?: string | string[];
  enum?: string[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  pattern?: string;
  minimum?: number;
  maximum?: number;
}

interface Described {
  paths: Record<
    string,
    { post?: { requestBody?: { content: Record<string, { schema: { $ref: string } }> } } }
  >;
  components: { schemas: Record<string, Schema> };
}

const { paths, components } = JSON.parse(
  readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'),
) as Described;

/** How a form edits a member; undefined for a plain text and for an object of members. */
function describe({ anyOf, ...schema }: Schema): object | undefined {
  const { type, enum: words, pattern, minimum: least, maximum: most } = { ...schema, ...anyOf?.[0] };
  const types = [type].flat();
  if (words) return { kind: 'choice', words };
  if (types.includes('integer')) return { kind: 'count', least, most };
  if (types.includes('boolean')) return { kind: 'flag' };
  if (types.includes('array')) return { kind: 'list', words: schema.items?.enum };
  if (types.includes('number') && pattern !== undefined) return { kind: 'usd' };
  const { period } = schema.properties ?? {};
  return period && { kind: 'recurring', words: period.enum };
}

const listMembers = ({ properties = {} }: Schema, prefix = ''): [string, object][] =>
  Object.entries(properties).flatMap(([name, member]) => {
    const described = describe(member);
    return described ? [[prefix + name, described]] : listMembers(member, `${prefix}${name}.`);
  });

const bodies = Object.entries(paths).flatMap(([path, { post }]) => {
  const name = post?.requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1) ?? '';
  const body = path.startsWith('/admin/v1/') && components.schemas[name];
  return body ? [[path, Object.fromEntries(listMembers(body))] as const] : [];
});

const text = JSON.stringify(Object.fromEntries(bodies));
writeFileSync(
  target,
  `/** This file was generated from docs/openapi.json by \`npm run generate -w web\`. */
export const BODY_MEMBERS = ${text} as const;
`,
);
