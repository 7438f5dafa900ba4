import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import { ECHOED_FIELDS, OPTIONAL_ECHOES } from './fields.ts';

const ECHOED = Object.keys(ECHOED_FIELDS);

/** The request members that its answer repeats; large ones are shared with the body, not copied. */
export function createEcho(request: Pick<CanonicalRequest, 'origin'>): JsonObject {
  const { body } = request.origin;
  const echo: JsonObject = {};
  for (const name of ECHOED) if (body[name] !== undefined && body[name] !== null) echo[name] = body[name];
  for (const name of OPTIONAL_ECHOES) if (body[name] !== undefined) echo[name] = body[name];
  if (Array.isArray(echo['tools']) && echo['tools'].some(isMcp))
    echo['tools'] = echo['tools'].map(withoutSecrets);
  return echo;
}

function isMcp(tool: JsonValue): boolean {
  return isJsonObject(tool) && tool['type'] === 'mcp';
}

/** Answers omit credentials of the caller's MCP servers, because they may be stored. */
function withoutSecrets(tool: JsonValue): JsonValue {
  if (!isJsonObject(tool) || !isMcp(tool)) return tool;
  return Object.fromEntries(
    Object.entries(tool).filter(([name]) => name !== 'authorization' && name !== 'headers'),
  );
}
