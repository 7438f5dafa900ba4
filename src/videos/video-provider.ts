import type { UpstreamFailure } from '#errors';
import { type Catalogue, DEFAULT_CREDENTIAL, type Mapping } from '#catalogue';
import type { AnswerSink, Provider, UpstreamCall } from '#providers';
import type { VideoJob } from './jobs/video-job.ts';
import type { ProviderOrder, VideoProgress, VideoProtocol } from './protocol.ts';
import { attributeFailure } from '#providers';
import { getProtocol } from './protocols/protocols.ts';

/** The provider's id for a job, or why there is none. `isCertain`: nothing was started there. */
type Created = { upstreamId: string } | { failure: UpstreamFailure; isCertain: boolean };

type Polled = VideoProgress | { failure: UpstreamFailure };

/** A provider of videos, whatever its protocol. */
export interface VideoProvider {
  pollMs: number;
  create(order: ProviderOrder): Promise<Created>;
  poll(upstreamId: string): Promise<Polled>;
  /** Reads the content at an address the provider returned. */
  openContent(contentUrl: string, headers: Readonly<Record<string, string>>, sink: AnswerSink): UpstreamCall;
  /** Cancels a job if the protocol can; never rejects. */
  cancel(upstreamId: string): Promise<void>;
  /** Deletes stored content if the protocol can; never rejects. */
  remove(upstreamId: string): Promise<void>;
}

/** How long a provider may take to answer, and how long either side may be idle after that. */
export interface ContentTimeouts {
  firstEventMs: number;
  idleMs: number;
}

/** Where providers are found. */
export interface ProviderSource {
  catalogue: Catalogue;
  providers: Pick<ReadonlyMap<string, Provider>, 'get'>;
  /** The gateway's credentials by provider, for those that have several. */
  pools?: ReadonlyMap<string, readonly { name: string; provider: Provider }[]>;
  timeouts: ContentTimeouts;
}

const CREATE_LIMIT_MS = 60_000;
const ASK_LIMIT_MS = 20_000;
/** How long an order may take at its provider, including all of its calls. */
export const ORDER_LIMIT_MS = CREATE_LIMIT_MS + ASK_LIMIT_MS;

/** Failures that prove nothing was started. */
const CERTAIN: ReadonlySet<UpstreamFailure['kind']> = new Set([
  'unreachable',
  'rate-limited',
  'overloaded',
  'credential-refused',
  'out-of-quota',
  'request-refused',
  'content-refused',
]);

/** What determines the provider and key of a job. */
type Assignment = Pick<VideoJob, 'organizationId' | 'providerId' | 'credential' | 'row'>;

/** Finds the provider of a job; absent if it is no longer configured. Throws `credential_unreadable`. */
export type FindProvider = (job: Assignment) => Promise<VideoProvider | undefined>;

/** Whether a job uses its organization's own key, so that the provider bills the organization. */
export function isOwn({ row }: Pick<VideoJob, 'row'>): boolean {
  return row.credential === 'own';
}

/**
 * Searches the shared providers, or those of the job's organization; its own key is never replaced by the gateway's.
 */
export function createFindProvider(
  live: () => ProviderSource,
  findOwnSource: (organizationId: string) => Promise<ProviderSource | undefined>,
): FindProvider {
  return async (job) => {
    const source = isOwn(job) ? await findOwnSource(job.organizationId) : live();
    const entry = source?.catalogue.providers.get(job.providerId);
    const provider = source && findClient(source, job);
    if (!source || !entry || !provider?.resources) return undefined;
    if ((provider.credentialId !== undefined) !== isOwn(job)) return undefined;
    return openProvider(getProtocol(entry), provider, source.timeouts);
  };
}

/** A job whose credential was removed has no provider: other accounts do not know it. */
function findClient({ providers, pools }: ProviderSource, job: Assignment): Provider | undefined {
  const { providerId, credential = DEFAULT_CREDENTIAL } = job;
  const pool = isOwn(job) ? undefined : pools?.get(providerId);
  const named = pool?.find(({ name }) => name === credential)?.provider;
  return named ?? (job.credential === undefined ? providers.get(providerId) : undefined);
}

/** The gateway's credentials for videos, and their health. */
export interface VideoCredentials {
  /** Their names in the order in which an order tries them; one without a name where the provider has only one. */
  order(mapping: Mapping, seed: string): readonly (string | undefined)[];
  /** Records the result of an order; no failure if the provider accepted it. */
  record(mapping: Mapping, credential: string | undefined, failure?: UpstreamFailure): void;
}

function openProvider(
  protocol: VideoProtocol,
  provider: Provider,
  { firstEventMs }: ContentTimeouts,
): VideoProvider | undefined {
  const { resources } = provider;
  if (!resources) return undefined;
  const clean = (failure: UpstreamFailure): UpstreamFailure => attributeFailure(failure, provider);
  const { baseUrl } = resources;
  const createLimitMs = Math.min(CREATE_LIMIT_MS, firstEventMs);
  const askLimitMs = Math.min(ASK_LIMIT_MS, firstEventMs);
  return {
    pollMs: protocol.pollMs,
    create: async (order) => {
      const answer = await resources.ask(protocol.create(order, baseUrl), createLimitMs);
      if ('failure' in answer)
        return { failure: clean(answer.failure), isCertain: CERTAIN.has(answer.failure.kind) };
      const upstreamId = protocol.readCreated(answer.body);
      return upstreamId === undefined ? { failure: GARBLED, isCertain: false } : { upstreamId };
    },
    poll: async (upstreamId) => {
      const request = protocol.poll(upstreamId, baseUrl);
      const answer = await resources.ask(request, askLimitMs, protocol.mostPollBytes);
      if ('failure' in answer) return { failure: clean(answer.failure) };
      const progress = protocol.readProgress(answer.body, upstreamId) ?? { failure: GARBLED };
      return 'error' in progress ? hideSecrets(progress, provider) : progress;
    },
    openContent: (url, headers, sink) => resources.send({ method: 'GET', url, headers }, sink),
    cancel: async (upstreamId) => {
      const request = protocol.cancel?.(upstreamId, baseUrl);
      if (request) await resources.ask(request, askLimitMs);
    },
    remove: async (upstreamId) => {
      const request = protocol.remove?.(upstreamId);
      if (request) await resources.ask(request, askLimitMs);
    },
  };
}

const GARBLED: UpstreamFailure = {
  kind: 'garbled',
  message: 'the provider returned a malformed response',
};
const MOST_TEXT = 500;

function hideSecrets(progress: VideoProgress & { status: 'failed' }, { redact }: Provider): VideoProgress {
  const { code, message } = progress.error;
  return {
    ...progress,
    error: { code: redact(code).slice(0, 100), message: redact(message).slice(0, MOST_TEXT) },
  };
}
