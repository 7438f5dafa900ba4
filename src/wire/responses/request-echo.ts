import type { JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import { isArray, isObject } from '../read-field.ts';
import type { Members, Unchecked } from '../unchecked.ts';
import { without } from '../without.ts';
import { ECHOED_FIELDS, OPTIONAL_ECHOES } from './fields.ts';
import type { ResponsesBody, ResponsesTool } from './schema.ts';

const ECHOED = Object.keys(ECHOED_FIELDS);

/** The request members that its answer repeats; large ones are shared with the body, not copied. */
export function createEcho(request: Pick<CanonicalRequest, 'origin'>): JsonObject {
  const { body } = request.origin;
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
