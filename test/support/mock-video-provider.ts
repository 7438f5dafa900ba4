import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JsonObject, parseJsonObject } from '#base';

/** The steps of a mock job: each poll takes the next one, the last one stays. */
type Step = 'queued' | 'in_progress' | 'completed' | 'failed';

/** A request to the mock. */
interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
  json: JsonObject | undefined;
}

/** A video provider on a real socket, in four protocols at once. */
export interface MockVideoProvider extends AsyncDisposable {
  readonly origin: string;
  readonly seen: SeenRequest[];
  /** Steps of jobs ordered from now on. */
  steps: Step[];
  /** The bytes of every video. */
  content: Buffer;
  /** Videos of Google's protocol are inlined in the finished job, as in the Gemini API or in Vertex. */
  inline: 'gemini' | 'vertex' | undefined;
  /** Answers a request itself; returns true if it did. */
  intercept: ((request: SeenRequest, response: ServerResponse) => boolean) | undefined;
  /** Requests whose method and path match. */
  find(method: string, path: RegExp): SeenRequest[];
  clear(): void;
}

const ETAG = '"video-1"';
const MODIFIED = 'Wed, 21 Oct 2026 07:28:00 GMT';

export async function startMockVideoProvider(): Promise<MockVideoProvider> {
  const mock = new Mock();
  await mock.listen();
  return mock;
}

class Mock implements MockVideoProvider {
  readonly seen: SeenRequest[] = [];
  steps: Step[] = ['completed'];
  content = Buffer.from('0123456789'.repeat(100));
  inline: MockVideoProvider['inline'];
  intercept: MockVideoProvider['intercept'];
  readonly #jobs = new Map<string, { steps: Step[]; polls: number }>();
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#server.unref();
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  find(method: string, path: RegExp): SeenRequest[] {
    return this.seen.filter((request) => request.method === method && path.test(request.path));
  }

  clear(): void {
    this.seen.length = 0;
    this.steps = ['completed'];
    this.intercept = undefined;
    this.inline = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming as AsyncIterable<Buffer>) parts.push(part);
    const body = Buffer.concat(parts);
    const { method = '', url: path = '', headers } = incoming;
    const request: SeenRequest = { method, path, headers, body, json: parseJsonObject(body.toString()) };
    this.seen.push(request);
    if (this.intercept?.(request, response) === true) return;
    const answer = this.#answer(request, response);
    if (answer) sendJson(response, 200, answer);
  }

  #answer(request: SeenRequest, response: ServerResponse): JsonObject | undefined {
    const { method, path } = request;
    if (method === 'GET' && /\/content$|\/files\/|\/bytes\//.test(path)) {
      sendContent(request, response, this.content);
      return undefined;
    }
    if (method === 'DELETE') return { id: path.split('/').at(-1) ?? '', deleted: true };
    if (method === 'POST' && path.endsWith('/cancel')) return { request_id: 'r' };
    if (method === 'POST') return this.#create(path);
    const id = path.split('/').at(-1) ?? '';
    const job = this.#jobs.get(id);
    if (!job) {
      sendJson(response, 404, {
        error: { message: `no job ${id}`, type: 'invalid_request_error', code: null },
      });
      return undefined;
    }
    const step = job.steps[Math.min(job.polls, job.steps.length - 1)] ?? 'completed';
    job.polls += 1;
    return this.#describe(path, id, step);
  }

  #create(path: string): JsonObject {
    const id = `job_${this.#jobs.size + 1}`;
    this.#jobs.set(id, { steps: [...this.steps], polls: 0 });
    if (path.endsWith(':predictLongRunning')) return { name: `models/veo/operations/${id}` };
    if (path.endsWith('/videos/generations')) return { request_id: id };
    if (path.includes('/video-synthesis'))
      return { output: { task_id: id, task_status: 'PENDING' }, request_id: 'r' };
    return {
      id,
      object: 'video',
      status: 'queued',
      progress: 0,
      created_at: 1,
      seconds: '4',
      size: '1280x720',
    };
  }

  #inlineAnswer(): JsonObject | undefined {
    const bytes = this.content.toString('base64');
    const reported = { encodedVideo: bytes, encoding: 'video/webm' };
    if (this.inline === 'gemini')
      return { generateVideoResponse: { generatedSamples: [{ video: reported }] } };
    if (this.inline === 'vertex') return { videos: [{ bytesBase64Encoded: bytes, mimeType: 'video/mp4' }] };
    return undefined;
  }

  #describe(path: string, id: string, step: Step): JsonObject {
    const isDone = step === 'completed';
    const hasFailed = step === 'failed';
    const message = 'the prompt was refused';
    if (path.includes('/operations/')) {
      const uri = `${this.origin}/v1beta/files/${id}:download?alt=media`;
      const response = this.#inlineAnswer() ?? {
        generateVideoResponse: { generatedSamples: [{ video: { uri } }] },
      };
      return {
        name: path.slice(1),
        ...(hasFailed && { done: true, error: { code: 3, message } }),
        ...(isDone && { done: true, response }),
      };
    }
    if (path.includes('/tasks/')) {
      const names = { queued: 'PENDING', in_progress: 'RUNNING', completed: 'SUCCEEDED', failed: 'FAILED' };
      const output = {
        task_id: id,
        task_status: names[step],
        ...(isDone && { video_url: `${this.origin}/bytes/${id}.mp4?Signature=x` }),
        ...(hasFailed && { code: 'DataInspectionFailed', message }),
      };
      return { request_id: 'r', output };
    }
    if (path.startsWith('/xai/')) {
      const url = `${this.origin}/bytes/${id}.mp4`;
      return {
        status: isDone ? 'done' : hasFailed ? 'failed' : 'pending',
        progress: 40,
        ...(isDone && { video: { url, duration: 4 } }),
        ...(hasFailed && { error: message }),
      };
    }
    return {
      id,
      object: 'video',
      status: step,
      progress: isDone ? 100 : 40,
      error: hasFailed ? { code: 'moderation_blocked', message } : null,
    };
  }
}

function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** A file server's answer: ranges, validators. */
function sendContent({ headers }: SeenRequest, response: ServerResponse, content: Buffer): void {
  const common = {
    'content-type': 'video/mp4',
    etag: ETAG,
    'last-modified': MODIFIED,
    'accept-ranges': 'bytes',
  };
  if (headers['if-none-match'] === ETAG || headers['if-modified-since'] === MODIFIED) {
    response.writeHead(304, common).end();
    return;
  }
  const isCurrent = headers['if-range'] === undefined || headers['if-range'] === ETAG;
  const [, from = '', to = ''] = (isCurrent && /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '')) || [];
  if (from === '' && to === '') {
    response.writeHead(200, { ...common, 'content-length': content.length }).end(content);
    return;
  }
  const start = from === '' ? Math.max(0, content.length - Number(to)) : Number(from);
  const end = Math.min(content.length - 1, from === '' || to === '' ? content.length - 1 : Number(to));
  if (start > end) {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
    return;
  }
  const part = content.subarray(start, end + 1);
  const range = `bytes ${start}-${end}/${content.length}`;
  response.writeHead(206, { ...common, 'content-length': part.length, 'content-range': range }).end(part);
}

/** How long a provider may be silent: long enough for the first order of a gateway that has just started. */
const SILENCE_MS = 2_500;

/** A `sluice.yaml` with one provider per protocol, and quick polls. */
export function createVideoConfig(origin: string, silenceMs = SILENCE_MS): string {
  const provider = (id: string, lines: string[], video = ''): string[] => [
    `  - id: ${id}`,
    ...lines.map((line) => `    ${line}`),
    '    apiKey: mock-secret-key',
    '    models:',
    `      - id: ${id}-video`,
    '        operations: [videos]',
    `        video: { sizes: [1280x720, 720x1280], seconds: [4, 8], audio: optional, imageInput: true${video} }`,
    '        price: { input: "0", output: "0", perSecond: { default: "0.1", 720x1280: "0.25" } }',
  ];
  return [
    `timeouts: { firstEventMs: ${silenceMs}, idleMs: ${silenceMs}, totalMs: 10000 }`,
    'videos: { pollMs: 50 }',
    'providers:',
    ...provider('open', ['format: chat', `baseUrl: ${origin}/v1`]),
    ...provider('veo', ['format: gemini', `baseUrl: ${origin}/v1beta`]),
    ...provider('grok', ['format: chat', 'videoProtocol: xai', `baseUrl: ${origin}/xai/v1`]),
    ...provider('wan', ['format: chat', 'videoProtocol: dashscope', `baseUrl: ${origin}/compatible-mode/v1`]),
    '',
  ].join('\n');
}
