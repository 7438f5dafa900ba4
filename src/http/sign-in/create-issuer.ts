import type { Person } from '#accounts';
import type * as openid from 'openid-client';
import { GatewayError } from '#errors';
import type { Issuer, IssuerSettings, PendingSignIn } from '../issuer.ts';
import { toPerson } from './to-person.ts';

type Library = typeof openid;

/** How far the clocks of the issuer and of this machine may differ. */
const TOLERANCE_SECONDS = 60;
const TIMEOUT_SECONDS = 10;

/** The library is loaded, and the issuer called, at the first sign-in. `report` gets the reason of each failure. */
export function createIssuer(settings: IssuerSettings, report: (reason: string) => void): Issuer {
  let discovered: Promise<Client> | undefined;
  const open = (): Promise<Client> => {
    discovered ??= discover(settings).catch((error: unknown) => {
      discovered = undefined;
      report(explain(error));
      throw createUnavailable(settings, error);
    });
    return discovered;
  };
  return {
    settings,
    begin: async (redirectUrl) => begin(await open(), settings, redirectUrl),
    finish: async (query, pending) => {
      const client = await open();
      return finish(client, { settings, query, pending }).catch((error: unknown) => {
        report(explain(error));
        throw (isRefusal(error) ? createRefused : createUnavailable)(settings, error);
      });
    },
    findSignOut: async (idToken, returnTo) => {
      const { library, configuration } = await open();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      return library.buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: returnTo,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      }).href;
    },
  };
}

interface Client {
  library: Library;
  configuration: openid.Configuration;
}

async function discover({ issuer, clientId, clientSecret }: IssuerSettings): Promise<Client> {
  const library = await import('openid-client');
  const url = new URL(issuer);
  const execute = [
    library.enableNonRepudiationChecks, // the signature of the ID token, also over TLS
    ...(url.protocol === 'http:' ? [library.allowInsecureRequests] : []),
  ];
  const found = await library.discovery(url, clientId, undefined, library.None(), {
    execute,
    timeout: TIMEOUT_SECONDS,
  });
  const server = found.serverMetadata();
  const metadata = { [library.clockTolerance]: TOLERANCE_SECONDS };
  const configuration = new library.Configuration(
    server,
    clientId,
    metadata,
    authenticate(library, clientSecret, server.token_endpoint_auth_methods_supported),
  );
  for (const apply of execute) apply(configuration);
  configuration.timeout = TIMEOUT_SECONDS;
  return { library, configuration };
}

/** `client_secret_basic` is the default of the specification. */
function authenticate(library: Library, secret: string | undefined, methods: readonly string[] | undefined) {
  if (secret === undefined) return library.None();
  return methods?.includes('client_secret_post') === true && !methods.includes('client_secret_basic')
    ? library.ClientSecretPost(secret)
    : library.ClientSecretBasic(secret);
}

async function begin(
  { library, configuration }: Client,
  { scopes }: IssuerSettings,
  redirectUrl: string,
): Promise<{ url: string; pending: PendingSignIn }> {
  const pending = {
    state: library.randomState(),
    nonce: library.randomNonce(),
    verifier: library.randomPKCECodeVerifier(),
    redirectUrl,
  };
  const url = library.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUrl,
    scope: scopes.join(' '),
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await library.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
  });
  return { url: url.href, pending };
}

interface Callback {
  settings: IssuerSettings;
  query: URLSearchParams;
  pending: PendingSignIn;
}

async function finish(
  { library, configuration }: Client,
  { settings, query, pending }: Callback,
): Promise<{ person: Person; idToken: string }> {
  const tokens = await library.authorizationCodeGrant(
    configuration,
    new URL(`${pending.redirectUrl}?${query.toString()}`),
    {
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      pkceCodeVerifier: pending.verifier,
      idTokenExpected: true,
    },
  );
  const claims = tokens.claims();
  if (!claims || tokens.id_token === undefined) throw new Error('the issuer returned no ID token');
  const lacksFacts = claims[settings.groupsClaim] === undefined || claims['email'] === undefined;
  const asksMore = lacksFacts && configuration.serverMetadata().userinfo_endpoint !== undefined;
  const more = asksMore
    ? await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
    : undefined;
  return { person: toPerson({ ...more, ...claims }, settings.groupsClaim), idToken: tokens.id_token };
}

/** Whether the answer was wrong, rather than missing or an error of the issuer's server. */
function isRefusal(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (cause instanceof Response && cause.status >= 500) return false;
  return typeof code === 'string' && code.startsWith('OAUTH_') && !/TIMEOUT|ABORT/.test(code);
}

function createRefused({ name }: IssuerSettings, error: unknown): GatewayError {
  const { error: reason } = error as { error?: unknown };
  const because = typeof reason === 'string' && /^[a-z_]{1,60}$/.test(reason) ? ` (${reason})` : '';
  return new GatewayError(
    'invalid_credential',
    `The answer of ${name} was not accepted${because}. Sign in again; the log of the gateway has the reason.`,
    { param: 'code', cause: error },
  );
}

function createUnavailable({ name, issuer }: IssuerSettings, error: unknown): GatewayError {
  return new GatewayError(
    'issuer_unavailable',
    `${name} (${issuer}) does not answer as an OpenID provider. Try again in a minute; the log of the gateway has the reason.`,
    { cause: error },
  );
}

/** For the operator's log: codes and sentences of the library have no secrets. */
function explain(error: unknown): string {
  const { code, error: reason, message, cause } = error as Record<string, unknown>;
  const deeper =
    cause instanceof Error ? cause.message : cause instanceof Response ? `status ${cause.status}` : undefined;
  return [code, reason, message, deeper].filter((part) => typeof part === 'string').join(': ');
}
