import type { JsonObject } from '#base';
import type { ENDPOINTS } from '#http';
import type { InProcessGateway } from './in-process.ts';
import { CANARY_WORDS, type OwnedNames, createOwner, createThings } from './isolation-owner.ts';

type AuthPolicy = (typeof ENDPOINTS)[number]['auth'];

/** The kinds of credentials that endpoints distinguish; `none` is the absence of one. */
type Kind = 'none' | 'key' | 'session' | 'admin';

/** The owner of a named record; callers of the same reach may use it. */
export type Reach = 'anyone' | 'end-user' | 'key' | 'project' | 'organization' | 'installation';

/** A caller of the matrix. */
export interface Identity {
  kind: Kind;
  secret?: string;
  isRevoked?: true;
  /** Which records of the owner this caller may use, too. */
  reach: readonly Reach[];
}

const KINDS: readonly Kind[] = ['none', 'key', 'session', 'admin'];

/** The credentials that each policy accepts; others are refused before anything is looked up. */
const TAKES: Record<AuthPolicy, readonly Kind[]> = {
  regular: ['key'],
  caller: ['key', 'session'],
  admin: ['admin'],
  optional: ['none', 'key', 'session'],
  path: ['key', 'session'],
  none: KINDS,
};

/** The status with which a policy refuses a caller; undefined if it accepts the caller. */
export function refusalBy(auth: AuthPolicy, { kind, isRevoked }: Identity): 401 | 403 | undefined {
  if (auth === 'none') return undefined;
  if (!TAKES[auth].includes(kind)) return kind === 'none' ? 401 : 403;
  return isRevoked ? 401 : undefined;
}

/** The owner, all other callers, and what no response to others may contain. */
export interface IsolationWorld {
  gateway: InProcessGateway;
  names: OwnedNames;
  identities: Readonly<Record<string, Identity>>;
  /** Ids, names, secrets and texts of the owner. */
  canaries: readonly string[];
}

/** The owner with one record of each kind, and all other callers. `baseUrl` is a trusted provider. */
export async function createWorld(gateway: InProcessGateway, baseUrl: string): Promise<IsolationWorld> {
  const { directory } = gateway.accounts;
  const owner = await createOwner(gateway, baseUrl);
  const { organizationId, projectId, keyId } = owner;
  const stranger = await gateway.createAccount({ label: 'stranger' });
  const { id: otherProject } = await directory.createProject({ organizationId, name: 'other' });
  const createKey = (of: string, label: string) => directory.createKey({ projectId: of, label });
  const mint = (of: string, user: string) =>
    directory.createSessionToken({ keyId: of, limit: 10n ** 15n, endUserId: user });
  const createAdmin = (of?: string) =>
    directory.createAdminKey({ label: 'admin', ...(of !== undefined && { organizationId: of }) });
  const sibling = await createKey(projectId, 'sibling');
  const revoked = await createKey(projectId, 'revoked');
  const neighbour = await createKey(otherProject, 'neighbour');
  const session = await mint(keyId, CANARY_WORDS.user);
  const otherSession = await mint(keyId, 'another-user');
  const againSession = await mint(keyId, CANARY_WORDS.user);
  const strangerSession = await mint(stranger.keyId, CANARY_WORDS.user);
  const revokedSession = await mint(keyId, CANARY_WORDS.user);
  const [ownAdmin, revokedAdmin] = [await createAdmin(organizationId), await createAdmin(organizationId)];
  await directory.updateKey(revoked.key.id, { disabled: true });
  await directory.revokeSessionToken(revokedSession.session.id);
  await directory.setAdminKeyDisabled(revokedAdmin.key.id, true);
  const names = { ...owner, ...(await createThings(gateway, owner, session.secret)) };
  const whole: readonly Reach[] = ['key', 'project', 'organization'];
  const all: Record<string, Identity> = {
    owner: { kind: 'key', secret: owner.apiKey, reach: whole },
    'an admin key of the owner': { kind: 'admin', secret: ownAdmin.secret, reach: whole },
    'an admin key of the operator': {
      kind: 'admin',
      secret: (await createAdmin()).secret,
      reach: [...whole, 'installation'],
    },
    'a session token': { kind: 'session', secret: session.secret, reach: ['end-user', 'organization'] },
    'another session token of the end user': {
      kind: 'session',
      secret: againSession.secret,
      reach: ['end-user', 'organization'],
    },
    'a session token of another end user': {
      kind: 'session',
      secret: otherSession.secret,
      reach: ['organization'],
    },
    'another key of the project': { kind: 'key', secret: sibling.secret, reach: ['project', 'organization'] },
    'a key of another project': { kind: 'key', secret: neighbour.secret, reach: ['organization'] },
    'a key of another organization': { kind: 'key', secret: stranger.apiKey, reach: [] },
    'a session token of another organization': { kind: 'session', secret: strangerSession.secret, reach: [] },
    'an admin key of another organization': {
      kind: 'admin',
      secret: (await createAdmin(stranger.organizationId)).secret,
      reach: [],
    },
    anonymous: { kind: 'none', reach: [] },
    'a revoked key': { kind: 'key', secret: revoked.secret, isRevoked: true, reach: [] },
    'a revoked session token': {
      kind: 'session',
      secret: revokedSession.secret,
      isRevoked: true,
      reach: [],
    },
    'a revoked admin key': { kind: 'admin', secret: revokedAdmin.secret, isRevoked: true, reach: [] },
  };
  const secrets = Object.values(all).flatMap(({ secret, reach }) =>
    secret !== undefined && reach.includes('key') ? [secret] : [],
  );
  return {
    gateway,
    names,
    identities: all,
    canaries: [...new Set([...Object.values(names), ...secrets, ...Object.values(CANARY_WORDS)])],
  };
}

/** One request of the matrix. */
export interface IsolationCall {
  path: string;
  body?: JsonObject | FormData;
  headers?: Record<string, string>;
}

/** The response, without what the caller itself had sent. */
export interface IsolationAnswer {
  status: number;
  headers: string;
  body: string;
}

export async function sendCall(
  { gateway, canaries }: IsolationWorld,
  { path, body, headers, ...call }: IsolationCall & { method: string; names: OwnedNames },
  { secret }: Identity,
): Promise<IsolationAnswer> {
  const isForm = body instanceof FormData;
  const content = isForm ? body : body && JSON.stringify(body);
  const response = await gateway.request(path, {
    method: call.method,
    headers: {
      authorization: secret === undefined ? '' : `Bearer ${secret}`,
      ...(content !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(content !== undefined && { body: content }),
  });
  const sent = JSON.stringify([path, isForm ? [...body.entries()] : body, headers]);
  const own = [...Object.values<string>({ ...call.names }), ...canaries].filter((value) =>
    sent.includes(value),
  );
  const given = [response.headers.get('x-request-id') ?? '', ...own].sort((a, b) => b.length - a.length);
  const blot = (text: string): string =>
    given.reduce((rest, value) => (value === '' ? rest : rest.replaceAll(value, '<given>')), text);
  return {
    status: response.status,
    headers: blot(JSON.stringify([...response.headers])),
    body: blot(await response.text()),
  };
}
