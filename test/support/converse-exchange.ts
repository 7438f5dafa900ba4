import type { JsonObject } from '#base';
import {
  type Block,
  CONVERSE_DIALECT,
  type CanonicalRequest,
  type Dialect,
  type SetMarks,
  type Tool,
} from '#canonical';
import { type Exchange, getOutboundFormat } from '#wire';
import { createForeignRequest } from './foreign-request.ts';

export const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };

export const WEATHER: Tool = {
  type: 'function',
  name: 'weather',
  description: 'Tells it.',
  inputSchema: SCHEMA,
};

export function createText(said: string, more: Pick<Block, 'cache'> = {}): Block {
  return { type: 'text', text: said, ...more };
}

export function createCall(id: string, name = 'weather'): Block {
  return { type: 'tool-call', id, name, input: { json: '' } };
}

export function createResult(
  callId: string,
  blocks: Block[] = [createText('sunny')],
  isError = false,
): Block {
  return { type: 'tool-result', callId, blocks, isError };
}

/** What is sent to Converse for a request. */
export function openConverse(
  changes: Partial<CanonicalRequest> = {},
  dialect: Partial<Dialect> = {},
  marks?: SetMarks,
): Exchange {
  return getOutboundFormat('converse').openExchange(createForeignRequest(changes), {
    providerId: 'amazon-bedrock',
    externalId: 'amazon.nova-pro-v1:0',
    dialect: { ...CONVERSE_DIALECT, ...dialect },
    maxOutput: 4096,
    reasoning: true,
    ...(marks && { marks }),
  });
}

export function encodeConverse(
  changes: Partial<CanonicalRequest> = {},
  dialect: Partial<Dialect> = {},
  marks?: SetMarks,
): JsonObject {
  return openConverse(changes, dialect, marks).body;
}

interface ConverseMessage {
  role: string;
  content: JsonObject[];
}

/** The messages of a body, each as its role and content. */
export function messagesOf(body: JsonObject): ConverseMessage[] {
  return body['messages'] as unknown as ConverseMessage[];
}
