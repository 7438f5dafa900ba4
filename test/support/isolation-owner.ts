import assert from 'node:assert/strict';
import type { AdminSubjects } from './admin-calls.ts';
import type { InProcessGateway } from './in-process.ts';
import { createSamples } from './resource-samples.ts';
import { asKey, finishVideo, orderVideo } from './video-client.ts';

/** What a call of the matrix can name: records of one organization, the owner. */
export interface OwnedNames extends AdminSubjects, KeptThings {
  /** A model that only the owner's organization has. */
  model: string;
}

/** What the gateway stored of the owner's calls. */
interface KeptThings {
  requestId: string;
  /** A stored response of the owner's key, and an item of it. */
  responseId: string;
  itemId: string;
  /** A stored response of an end user with a session token of the owner's key. */
  userResponseId: string;
  userItemId: string;
  videoId: string;
  /** The request that ordered the video. */
  logId: string;
  /** Videos that the owner's key and an end user ordered, and the `Idempotency-Key` of each. */
  orderedVideoId: string;
  idempotencyKey: string;
  userVideoId: string;
  userIdempotencyKey: string;
}

/** Texts of the owner that responses could repeat. */
export const CANARY_WORDS = {
  organization: 'Canary Organization',
  project: 'canary-project',
  label: 'canary-label',
  answer: 'the canary answered',
  prompt: 'a canary in a coal mine',
  provider: 'canary-provider',
  providerKey: 'sk-canary-of-the-custom-provider',
  rule: 'canary-rule',
  admin: 'canary-admin',
  user: 'canary-user',
} as const;

type Owner = AdminSubjects & { model: string };

/** An organization with a caching project, a key, a custom model at `baseUrl`, and one of every other resource. */
export async function createOwner(gateway: InProcessGateway, baseUrl: string): Promise<Owner> {
  const { directory } = gateway.accounts;
  const { id: organizationId } = await directory.createOrganization(CANARY_WORDS.organization);
  const { id: projectId } = await directory.createProject({ organizationId, name: CANARY_WORDS.project });
  await directory.updateProject(projectId, { cacheTtlSeconds: 3_600 });
  const { secret: apiKey, key } = await directory.createKey({ projectId, label: CANARY_WORDS.label });
  const { provider, providerKey } = CANARY_WORDS;
  await directory.addCustomProvider(
    { organizationId, name: provider, format: 'chat', baseUrl, apiKey: providerKey },
    gateway.terms,
  );
  const price = { input: '3', output: '15' };
  const model = { name: 'Canary', contextLength: 100_000, maxOutput: 1_000, price };
  await directory.addCustomModel({ organizationId, provider, model }, gateway.terms);
  const account = { apiKey, keyId: key.id, projectId, organizationId };
  const ids = await createSamples(gateway, account, {
    rule: { values: [CANARY_WORDS.rule] },
    member: { name: CANARY_WORDS.user },
    admin_key: { label: CANARY_WORDS.admin },
  });
  return { ...account, ...ids, model: `${provider}/Canary`, requestId: '', sessionId: `session-${key.id}` };
}

/** Responses, videos, log rows. */
export async function createThings(
  gateway: InProcessGateway,
  owner: Owner,
  sessionToken: string,
): Promise<KeptThings> {
  const own = await keepResponse(gateway, owner, { 'x-gateway-session': `session-${owner.keyId}` });
  const users = await keepResponse(gateway, { ...owner, apiKey: sessionToken });
  const [idempotencyKey, userIdempotencyKey] = ['canary-order', 'canary-order-of-a-user'];
  const orderAs = (secret: string, key: string) =>
    orderVideo(gateway, {}, { ...asKey(secret), 'idempotency-key': key });
  const { id: orderedVideoId } = await orderAs(owner.apiKey, idempotencyKey);
  const { id: userVideoId } = await orderAs(sessionToken, userIdempotencyKey);
  await finishVideo(gateway, userVideoId, asKey(sessionToken));
  return {
    requestId: own.requestId,
    responseId: own.id,
    itemId: own.itemId,
    userResponseId: users.id,
    userItemId: users.itemId,
    ...(await keepVideo(gateway, owner.apiKey)),
    orderedVideoId,
    idempotencyKey,
    userVideoId,
    userIdempotencyKey,
  };
}

interface KeptResponse {
  id: string;
  itemId: string;
  requestId: string;
}

/** Requests a response and stores it. */
export async function keepResponse(
  gateway: InProcessGateway,
  { apiKey, model }: Pick<OwnedNames, 'apiKey' | 'model'>,
  headers: Record<string, string> = {},
): Promise<KeptResponse> {
  const response = await gateway.post(
    '/v1/responses',
    { model, input: CANARY_WORDS.prompt, store: true },
    { ...asKey(apiKey), ...headers },
  );
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const { id, output } = JSON.parse(text) as { id: string; output: { id: string }[] };
  const requestId = response.headers.get('x-request-id') ?? '';
  return { id, itemId: output[0]?.id ?? '', requestId };
}

/** A completed video, and the request that ordered it. */
export async function keepVideo(
  gateway: InProcessGateway,
  secret: string,
): Promise<Pick<OwnedNames, 'videoId' | 'logId'>> {
  const { id } = await orderVideo(gateway, { prompt: CANARY_WORDS.prompt }, asKey(secret));
  const { status, content } = await finishVideo(gateway, id, asKey(secret));
  assert.equal(status, 'completed');
  const [, logId = ''] = /\/logs\/(\w+)\//.exec(content?.[0]?.url ?? '') ?? [];
  return { videoId: id, logId };
}

/** Names of the same kinds that do not exist. */
export function toUnknown(names: OwnedNames): OwnedNames {
  const unknown = { ...names };
  for (const [name, value] of Object.entries<string>(names)) unknown[name] = `${value.slice(0, -6)}zzzzzz`;
  return { ...unknown, model: 'unknown-provider/Canary' };
}
