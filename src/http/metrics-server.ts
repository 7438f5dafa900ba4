import { type Server, type ServerResponse, createServer } from 'node:http';
import type { Metrics } from '#telemetry';
import type { HostCheck } from './host-check.ts';
import { toGatewayError } from '#errors';

const PATH = '/metrics';
const HEADERS_MS = 10_000;

/** Serves the metrics on a listener of its own, not listening yet: anyone who can reach it can read them. */
export function createMetricsServer(metrics: Metrics, checkHost: HostCheck): Server {
  const answer = async (path: string, host: string | undefined): Promise<Answer> => {
    checkHost(host, path);
    if (path !== PATH) return { status: 404, type: 'text/plain', text: `the metrics are at ${PATH}\n` };
    return { status: 200, type: metrics.contentType, text: await metrics.print() };
  };
  return createServer({ headersTimeout: HEADERS_MS, requestTimeout: HEADERS_MS }, (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    void answer(path, request.headers.host)
      .catch(toRefusal)
      .then((answered) => send(response, answered, request.method === 'HEAD'));
  });
}

interface Answer {
  status: number;
  type: string;
  text: string;
}

function toRefusal(thrown: unknown): Answer {
  const { status, message } = toGatewayError(thrown);
  return { status, type: 'text/plain', text: `${message}\n` };
}

function send(response: ServerResponse, { status, type, text }: Answer, isHead: boolean): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(isHead ? undefined : text);
}
