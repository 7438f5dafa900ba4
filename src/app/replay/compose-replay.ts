import type { JsonObject } from '#base';
import type { KeptRequest } from './read-kept-request.ts';
import { printJson } from '#base';
import { version } from '../settings/package.ts';

/** How a request is sent again. */
interface ReplayTarget {
  /** The value of the tag `replay`. */
  replayId: string;
  model: string;
  /** The only ones that may answer. */
  providerIds: readonly string[];
  apiKey: string;
}

interface ComposedReplay {
  path: string;
  headers: Record<string, string>;
  body: string | Buffer;
}

const MOST_SESSION = 120;
const CLIENT = 'sluice-replay';

/** The same request for another model, under other names: its rows are not mistaken for those of its caller. */
export function composeReplay(kept: KeptRequest, target: ReplayTarget): ComposedReplay {
  const { row, format } = kept;
  const { model } = target;
  return {
    path: row.endpoint.replace('{model}', encodeURIComponent(model)),
    headers: composeHeaders(kept, target),
    body: printJson(format === 'gemini' ? kept.sent : { ...withoutStore(kept), model }, kept),
  };
}

function withoutStore({ format, sent }: KeptRequest): JsonObject {
  const isStored = format === 'responses' || (format === 'chat' && sent['store'] === true);
  return isStored ? { ...sent, store: false } : sent;
}

function composeHeaders(
  { row }: KeptRequest,
  { replayId, providerIds, apiKey }: ReplayTarget,
): Record<string, string> {
  const { requestId, sessionId, agentId } = row;
  return {
    'content-type': 'application/json',
    authorization: `Bearer ${apiKey}`,
    'x-request-id': requestId,
    'x-no-cache': 'true',
    'x-gateway-provider': JSON.stringify({ only: providerIds }),
    'x-gateway-client': `${CLIENT}/${version}`,
    'x-gateway-user': CLIENT,
    'x-gateway-tags': `replay=${replayId}, replay_of=${requestId}`,
    // Turns of a session are routed to where their prompt is cached.
    ...(sessionId !== undefined && {
      'x-gateway-session': encodeName(`${replayId}/${sessionId}`.slice(0, MOST_SESSION)),
    }),
    ...(agentId !== undefined && { 'x-gateway-agent': encodeName(agentId) }),
  };
}

/** Header values are bytes; the gateway reads them as UTF-8. */
function encodeName(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
