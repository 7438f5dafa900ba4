import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '#base';
import { parseJson } from '#base';
import type { InProcessGateway } from './in-process.ts';

/** What a browser got. */
export interface Page {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  json(): JsonObject;
}

/** A member of an answer that is a text. */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`no text but ${JSON.stringify(value)}`);
  return value;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** A browser with its cookies, as it sends requests from a page of the gateway; further headers replace its own. */
export class DashboardBrowser {
  readonly cookies = new Map<string, string>();
  readonly #url: URL;
  readonly #host: string;
  readonly #scheme: string;

  constructor({ url }: Pick<InProcessGateway, 'url'>, origin = url) {
    this.#url = new URL(url);
    this.#host = new URL(origin).host;
    this.#scheme = new URL(origin).protocol;
  }

  get host(): string {
    return this.#host;
  }

  signIn(body: JsonObject, headers: Headers = {}): Promise<Page> {
    return this.send('POST', '/admin/v1/session', { body, headers });
  }

  async send(
    method: string,
    path: string,
    { body, headers = {} }: { body?: JsonObject; headers?: Headers } = {},
  ): Promise<Page> {
    const sent: Headers = {
      host: this.#host,
      'sec-fetch-site': 'same-origin',
      ...(this.cookies.size > 0 && { cookie: [...this.cookies].map((pair) => pair.join('=')).join('; ') }),
      ...(method !== 'GET' && { origin: `${this.#scheme}//${this.#host}`, 'x-sluice-dashboard': '1' }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    };
    const kept = Object.entries(sent).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const { hostname, port } = this.#url;
    const page = await exchange({ hostname, port, method, path, headers: Object.fromEntries(kept) }, body);
    for (const cookie of page.headers['set-cookie'] ?? []) this.#keep(cookie);
    return page;
  }

  #keep(cookie: string): void {
    const [pair = ''] = cookie.split(';');
    const at = pair.indexOf('=');
    if (cookie.includes('Max-Age=0')) this.cookies.delete(pair.slice(0, at));
    else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}

function exchange(options: Parameters<typeof request>[1], body: JsonObject | undefined): Promise<Page> {
  return new Promise((resolve, reject) => {
    const sent = request(options as object, (response) => {
      text(response).then(
        (read) =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: read,
            json: () => parseJson(read) as JsonObject,
          }),
        reject,
      );
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}
