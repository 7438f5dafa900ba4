import type { JsonObject } from '#base';
import type { CanonicalRequest } from '#canonical';
import { GatewayError } from '#errors';
import { listReferences } from '../../objects/references.ts';
import { findMember } from '../members.ts';
import { checkRequest, checkUnrouted } from './check-request.ts';
import { decodeTurns, decodeInstruction } from './decode-turns.ts';
import { decodeGenerationConfig } from './decode-generation-config.ts';
import { decodeToolOptions } from './decode-tools.ts';
import { refuseUnsent } from './known-members.ts';

import type { Members } from '../../body/unchecked.ts';

/** Options that the URL carries. */
export interface GeminiRoute {
  model: string;
  stream: boolean;
}

/** Where a body refers to other models, to objects of an account and to tools. */
const PLACES = {
  conversation: ['contents', 'systemInstruction', 'system_instruction'],
  settings: ['tools', 'toolConfig', 'tool_config', 'cachedContent', 'cached_content'],
  tools:
    /^(?:function_?Declarations|retrieval|google_?Maps|mcp_?Servers|code_?Execution|computer_?Use|enterprise_?Web_?Search|exa_?Ai_?Search|google_?Search(?:_?Retrieval)?|parallel_?Ai_?Search|url_?Context|file_?Search)$/i,
  areToolsMembers: true,
  style: 'brackets',
} as const;

/** Reads a `generateContent` body; refuses invalid fields by path. */
export function decodeRequest(origin: JsonObject, route: GeminiRoute | undefined): CanonicalRequest {
  if (origin['contents'] === undefined) rejectForeign(origin);
  refuseUnsent(origin);
  const model = route ? route.model : checkUnrouted(origin).model.replace(/^models\//, '');
  const body = checkRequest(origin);
  const instruction = findMember(body, 'systemInstruction');
  const tier = findMember(body, 'serviceTier');
  return {
    model,
    system: instruction === undefined ? [] : decodeInstruction(instruction, 'systemInstruction'),
    turns: decodeTurns(body.contents),
    ...decodeToolOptions(body),
    ...decodeGenerationConfig(body),
    stream: route?.stream ?? false,
    streamUsage: true,
    ...(tier !== undefined && { serviceTier: tier }),
    betas: [],
    ...listReferences(origin, PLACES),
    origin: { format: 'gemini', body: origin },
  };
}

/** Members that identify a request of another format. */
interface ForeignBody {
  messages: unknown;
  input: unknown;
}

const FOREIGN = [
  ['messages', '/v1/chat/completions or /v1/messages'],
  ['input', '/v1/responses'],
] as const;

function rejectForeign(body: Members<ForeignBody>): void {
  for (const [field, endpoint] of FOREIGN) {
    if (body[field] === undefined) continue;
    throw new GatewayError(
      'wrong_format',
      `this body is not built for the Gemini format (${field} instead of contents); send it to ${endpoint}`,
      { param: field },
    );
  }
}
