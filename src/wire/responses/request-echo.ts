import type { JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import type { RequestEcho } from '../contract.ts';
import { isArray, isObject } from '../body/read-field.ts';
import type { Members, Unchecked } from '../body/unchecked.ts';
import { without } from '../body/without.ts';
import { ECHOED_FIELDS, OPTIONAL_ECHOES } from './fields.ts';
import { listPlacedNames } from './namespaces.ts';
import type { ResponsesBody } from './schema.ts';
import type { ResponsesTool } from './tool-schema.ts';

const ECHOED = Object.keys(ECHOED_FIELDS);

/** What an answer needs of its request; large members are shared with the body, not copied. */
export function createEcho(request: Pick<CanonicalRequest, 'origin' | 'tools'>): RequestEcho {
  return { members: listMembers(request.origin.body), placedNames: listPlacedNames(request.tools) };
}

function listMembers(body: JsonObject): JsonObject {
  const echo: JsonObject = {};
  for (const name of ECHOED) if (body[name] !== undefined && body[name] !== null) echo[name] = body[name];
  for (const name of OPTIONAL_ECHOES) if (body[name] !== undefined) echo[name] = body[name];
  const { tools }: Members<ResponsesBody> = echo;
  return isArray(tools) && tools.some(isMcp) ? { ...echo, tools: tools.map(withoutSecrets) } : echo;
}

type Tool = Unchecked<ResponsesTool>;

function isMcp(tool: Tool): boolean {
  return isObject(tool) && tool.type === 'mcp';
}

const SECRETS: ReadonlySet<string> = new Set(['authorization', 'headers']);

/** Answers omit credentials of the caller's MCP servers, because they may be stored. */
function withoutSecrets(tool: Tool): Tool {
  return isObject(tool) && isMcp(tool) ? without<JsonObject>(tool, SECRETS) : tool;
}
