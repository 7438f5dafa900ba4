import type { GatewayAnswer, GatewayClient } from '#providers';
import type { LogRow, Logs } from '#logs';
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '#base';

/** What became of one request. */
export type ReplayOutcome =
  | { kind: 'answered'; text: string; contentType: string; row: LogRow }
  /** The key has no budget for it. */
  | { kind: 'unaffordable'; message: string }
  /** Its answer ended early because the budget did. */
  | { kind: 'cut'; row: LogRow }
  | { kind: 'failed'; code: string; message: string; row: LogRow | undefined }
  | { kind: 'unreachable'; message: string }
  | { kind: 'interrupted' };

interface AskPorts {
  client: Pick<GatewayClient, 'post'>;
  logs: Pick<Logs, 'find'>;
  signal: AbortSignal;
}

type Request = Omit<Parameters<GatewayClient['post']>[0], 'signal'>;

const UNAFFORDABLE = 402;
const UNKNOWN_KEY = 401;
const BUSY: ReadonlySet<number> = new Set([429, 503, 529]);
const MOST_RETRIES = 4;
const USUAL_WAIT_SECONDS = 2;
const MOST_WAIT_SECONDS = 60;
/** The row of a request on a lease is written 100 ms later; during an outage, much later. */
const ROW_LIMIT_MS = 30_000;
const ROW_POLL_MS = 50;

/** Sends one request; a busy gateway or provider is asked again after its `retry-after`. */
export async function askGateway(ports: AskPorts, request: Request): Promise<ReplayOutcome> {
  for (let retries = 0; ; retries += 1) {
    const answer = await post(ports, request);
    if ('kind' in answer) return answer;
    const waitSeconds = retries < MOST_RETRIES ? findWait(answer) : undefined;
    if (waitSeconds === undefined) return read(ports, answer);
    await sleep(waitSeconds * 1_000, undefined, { signal: ports.signal }).catch(() => undefined);
  }
}

async function post({ client, signal }: AskPorts, request: Request): Promise<GatewayAnswer | ReplayOutcome> {
  try {
    signal.throwIfAborted();
    return await client.post({ ...request, signal });
  } catch (error) {
    return signal.aborted ? { kind: 'interrupted' } : { kind: 'unreachable', message: reasonOf(error) };
  }
}

/** Undefined if asking again is of no use. */
function findWait({ status, headers }: GatewayAnswer): number | undefined {
  if (!BUSY.has(status)) return undefined;
  const seconds = Number(headers['retry-after'] ?? USUAL_WAIT_SECONDS);
  return seconds >= 0 && seconds <= MOST_WAIT_SECONDS ? Math.max(seconds, 0.1) : undefined;
}

async function read({ logs, signal }: AskPorts, answer: GatewayAnswer): Promise<ReplayOutcome> {
  const { status, text, headers } = answer;
  if (status === UNKNOWN_KEY)
    return { kind: 'unreachable', message: 'the gateway does not know the key: it uses another database' };
  const requestId = String(headers['x-request-id'] ?? '');
  const row = await findRow(logs, requestId, signal);
  if (!row) {
    const message = `no log row of ${requestId || 'this request'} was found (HTTP ${status})`;
    return signal.aborted ? { kind: 'interrupted' } : { kind: 'failed', code: 'no_row', message, row };
  }
  const { errorCode: code, errorMessage: message = '' } = row;
  if (status === UNAFFORDABLE) return { kind: 'unaffordable', message };
  if (code === undefined) {
    return { kind: 'answered', text, contentType: String(headers['content-type'] ?? ''), row };
  }
  return row.finishReason === 'length' ? { kind: 'cut', row } : { kind: 'failed', code, message, row };
}

async function findRow(
  logs: AskPorts['logs'],
  requestId: string,
  signal: AbortSignal,
): Promise<LogRow | undefined> {
  for (let waitedMs = 0; requestId !== '' && waitedMs < ROW_LIMIT_MS; waitedMs += ROW_POLL_MS) {
    const row = await logs.find(requestId, 'all');
    if (row || signal.aborted) return row;
    await sleep(ROW_POLL_MS);
  }
  return undefined;
}
