import type { AddressInfo } from 'node:net';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, type RequestListener, type ServerResponse, createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Provider } from 'oidc-provider';
import { DashboardBrowser, type Page } from './dashboard-browser.ts';
import type { InProcessGateway } from './in-process.ts';

export const OIDC_CLIENT = { id: 'sluice', secret: 'a-secret-of-the-client-at-the-issuer' } as const;

type Claims = Readonly<Record<string, unknown>>;

/** A real OpenID provider on a socket. */
export interface OidcIssuer extends AsyncDisposable {
  url: string;
  /** Its accounts: the claims of each login. */
  people: Record<string, Claims>;
  /** Who signs in next without being asked; undefined shows a form. */
  next: string | undefined;
  /** What it was asked, as `GET /auth`. */
  requests: string[];
  /** Opens it for a gateway at these origins. */
  open(origins: readonly string[]): void;
  /** Whether it answers everything with 503, as before it is opened. */
  isDown: boolean;
}

const FORM =
  '<!doctype html><html lang="en"><title>Issuer</title><form method="post"><label>Login <input name="login"></label><button>Continue</button></form>';
const INTERACTION = '/interaction/';

export async function startOidcIssuer(people: Record<string, Claims>): Promise<OidcIssuer> {
  let handler: RequestListener | undefined;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${(request.url ?? '').split('?')[0]}`);
    if (handler && !issuer.isDown) handler(request, response);
    else response.writeHead(503).end('down');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: OidcIssuer = {
    url,
    people,
    next: undefined,
    isDown: false,
    requests,
    open: (origins) => {
      handler = createHandler(new Provider(url, configure(people, origins)), issuer);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return issuer;
}

function createHandler(provider: Provider, issuer: OidcIssuer): RequestListener {
  const serve = provider.callback();
  return (request, response) => {
    if (!(request.url ?? '').startsWith(INTERACTION)) {
      serve(request, response);
      return;
    }
    answerInteraction(provider, issuer, [request, response]).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  };
}

async function answerInteraction(
  provider: Provider,
  issuer: OidcIssuer,
  [request, response]: [IncomingMessage, ServerResponse],
): Promise<void> {
  const typed = request.method === 'POST' ? new URLSearchParams(await text(request)).get('login') : undefined;
  const accountId = typed ?? issuer.next;
  if (accountId === undefined) {
    response.writeHead(200, { 'content-type': 'text/html' }).end(FORM);
    return;
  }
  const grant = new provider.Grant({ accountId, clientId: OIDC_CLIENT.id });
  grant.addOIDCScope('openid profile email groups');
  const result = { login: { accountId, remember: false }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result);
}

function configure(people: Record<string, Claims>, origins: readonly string[]): object {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    clients: [
      {
        client_id: OIDC_CLIENT.id,
        client_secret: OIDC_CLIENT.secret,
        redirect_uris: origins.map((origin) => `${origin}/dashboard/callback`),
        post_logout_redirect_uris: origins.map((origin) => `${origin}/dashboard/`),
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: 'test' }] },
    cookies: { keys: ['a key of the cookies of the issuer'] },
    claims: {
      openid: ['sub'],
      profile: ['name'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    findAccount: (_context: unknown, id: string) =>
      people[id] && { accountId: id, claims: () => ({ sub: id, ...people[id] }) },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `${INTERACTION}${uid}` },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
  };
}

/** A browser that went to the issuer and back. */
interface Visit {
  browser: DashboardBrowser;
  /** What the gateway answered to the callback. */
  page: Page;
  /** The path of the callback, with its query. */
  callback: string;
}

/** Signs in as somebody, through the issuer's own pages. */
export async function signInAs(
  { gateway, issuer }: { gateway: InProcessGateway; issuer: OidcIssuer },
  login: string,
  browser = new DashboardBrowser(gateway),
): Promise<Visit> {
  issuer.next = login;
  const start = await browser.send('GET', '/dashboard/login');
  const callback = await followIssuer(start, '/dashboard/callback');
  return { browser, callback, page: await arrive(browser, callback) };
}

/** Comes back from the issuer, as a browser does: by a link of another site. */
export function arrive(browser: DashboardBrowser, callback: string): Promise<Page> {
  return browser.send('GET', callback, { headers: { 'sec-fetch-site': 'cross-site' } });
}

/** Follows redirects at the issuer, with its cookies, up to the gateway's path. */
export async function followIssuer({ status, headers, body }: Page, end: string): Promise<string> {
  if (status !== 303) throw new Error(`no redirect but ${status} ${body}`);
  const cookies = new Map<string, string>();
  let place = new URL(headers.location ?? '');
  while (place.pathname !== end) {
    const answer = await fetch(place, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=', 2);
      cookies.set(name, value);
    }
    const next = answer.headers.get('location');
    if (next === null) throw new Error(`the issuer answered ${answer.status} ${await answer.text()}`);
    place = new URL(next, place);
  }
  return place.pathname + place.search;
}
