/** One HTTP/1.1 request as received. */
export interface HttpRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

interface Head {
  request: HttpRequest;
  bodyStart: number;
}

/** Cuts a byte stream into HTTP/1.1 requests: content-length and chunked bodies, several on one connection. */
export class HttpReader {
  #bytes: Buffer = Buffer.alloc(0);

  /** The requests completed by these bytes. */
  push(bytes: Buffer): HttpRequest[] {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    const requests: HttpRequest[] = [];
    for (let request = this.#take(); request; request = this.#take()) requests.push(request);
    return requests;
  }

  #take(): HttpRequest | undefined {
    const head = parseHead(this.#bytes);
    if (!head) return undefined;
    const { request, bodyStart } = head;
    const body = request.headers['transfer-encoding']?.includes('chunked')
      ? readChunked(this.#bytes, bodyStart)
      : readSized(this.#bytes, bodyStart, Number(request.headers['content-length'] ?? 0));
    if (!body) return undefined;
    this.#bytes = this.#bytes.subarray(body.end);
    return { ...request, body: body.bytes };
  }
}

function parseHead(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n');
  const [method = '', path = ''] = line.split(' ');
  const headers: Record<string, string> = {};
  for (const field of fields) {
    const colon = field.indexOf(':');
    headers[field.slice(0, colon).toLowerCase()] = field.slice(colon + 1).trim();
  }
  return { request: { method, path, headers, body: Buffer.alloc(0) }, bodyStart: end + 4 };
}

function readSized(bytes: Buffer, start: number, size: number): { bytes: Buffer; end: number } | undefined {
  if (bytes.length < start + size) return undefined;
  return { bytes: bytes.subarray(start, start + size), end: start + size };
}

function readChunked(bytes: Buffer, start: number): { bytes: Buffer; end: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { bytes: Buffer.concat(parts), end: next };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
