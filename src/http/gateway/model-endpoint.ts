import type { ClientFormatId } from '#canonical';
import type { Medium } from '#media';
import type { TSchema } from 'typebox';
import { type CountFormat, countTokens, createMediumKind, serve, textGeneration } from '#pipeline';
import { CLIENT_FACTS } from '#wire';
import { DEPLOYMENT } from '../incoming-call.ts';
import { type Endpoint, type ResponseSpec, defineEndpoint } from '../endpoint.ts';
import { withFallbacks, withPreferences } from './with-preferences.ts';

const MEDIUM_REFUSALS = [400, 401, 402, 403, 404, 408, 413, 415, 429, 500, 502, 503, 504];
const TEXT_REFUSALS = [...MEDIUM_REFUSALS, 409, 422];
/** Anthropic's status for an overloaded provider. */
const MESSAGES_REFUSALS = [...TEXT_REFUSALS, 529];
/** A count is free, and an estimate takes the place of a provider that fails. */
const COUNT_REFUSALS = [400, 401, 403, 404, 408, 413, 415, 429, 500, 503];

interface ModelEndpoint extends Pick<Endpoint, 'summary' | 'bodyTypes'> {
  /** Clients also omit the prefix `/v1`, or send it twice. */
  path: string;
  body: TSchema;
  answer: ResponseSpec;
}

interface TextEndpoint extends Pick<ModelEndpoint, 'path' | 'summary'> {
  /** What it answers, for the OpenAPI document. */
  answer: string;
}

/** An endpoint for text in one of the clients' formats, whose facts include its schemas. */
export function defineTextEndpoint(
  format: ClientFormatId,
  { path, summary, answer }: TextEndpoint,
): Endpoint {
  const { requestSchema, answerSchema, hasFallbacks } = CLIENT_FACTS[format];
  return defineEndpoint({
    summary,
    ...addressOf(path, format === 'chat'),
    format,
    body: hasFallbacks ? withFallbacks(requestSchema) : withPreferences(requestSchema),
    responses: { 200: { description: answer, schema: answerSchema } },
    refusals: format === 'messages' ? MESSAGES_REFUSALS : TEXT_REFUSALS,
    handle: (call, { generation }) => serve(generation, call.arrive(path, format), textGeneration),
  });
}

/** An endpoint that counts the tokens of prompts in one of the clients' formats. */
export function defineCountEndpoint(
  format: ClientFormatId,
  { path, answer, ...spec }: ModelEndpoint,
  counting: CountFormat,
): Endpoint {
  return defineEndpoint({
    ...spec,
    ...addressOf(path),
    format,
    responses: { 200: answer },
    refusals: COUNT_REFUSALS,
    handle: (call, { generation }) => countTokens(generation, call.arrive(path, format), counting),
  });
}

interface MediumEndpoint extends Pick<Endpoint, 'summary' | 'bodyTypes'> {
  /** What it answers, for the OpenAPI document. */
  answer: string;
}

/** An endpoint for another medium, in OpenAI's format. */
export function defineMediumEndpoint(medium: Medium, { answer, ...spec }: MediumEndpoint): Endpoint {
  const kind = createMediumKind(medium);
  const { path, body, answer: schema } = medium;
  return defineEndpoint({
    ...spec,
    ...addressOf(path, true),
    body,
    format: 'chat',
    responses: { 200: { description: answer, ...(schema && { schema }) } },
    refusals: MEDIUM_REFUSALS,
    handle: (call, { generation }) => serve(generation, call.arrive(path, 'chat'), kind),
  });
}

/** With the address that clients of Azure call, which names the model, for what Azure has. */
function addressOf(path: string, isAtAzure = false) {
  const bare = path.replace(/^\/v1/, '');
  const prefixed = bare === path ? [] : [bare, `/v1${path}`];
  return {
    method: 'POST',
    path,
    aliases: [...prefixed, ...(isAtAzure ? [`/openai/deployments/:${DEPLOYMENT}${bare}`] : [])],
    auth: 'path',
    needs: ['generation'],
  } as const;
}
