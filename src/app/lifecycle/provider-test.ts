import type { CanonicalRequest } from '#canonical';
import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { ProviderTest } from '#http';
import type { LiveSettings } from '#pipeline';
import type { Provider } from '#providers';
import type { Exchange, FailedResponse, OutboundFormat } from '#wire';
import type { Settings } from '../settings/settings.ts';
import type { Stores } from './stores/stores.ts';
import { parseJsonObject } from '#base';
import { supportsOperation, isActive } from '#catalogue';
import { GatewayError } from '#errors';
import { ShortAnswer } from '#providers';
import { isFailure } from '#wire';
import { getBaseCatalogue } from '../settings/base-catalogue.ts';
import { suggestProvider } from '../settings/closest.ts';
import { createLiveConfiguration } from './configuration/live-configuration.ts';

/** The requested output tokens: the least that every provider accepts. */
const MOST_OUTPUT = 16;
const MOST_BYTES = 1024 * 1024;

/** Sends the smallest request to each provider, with each of its credentials. Costs a few tokens at the provider. */
export async function testProviders(
  settings: Settings,
  providerIds: readonly string[],
  model?: string,
): Promise<ProviderTest[]> {
  const live = createLiveConfiguration(await getBaseCatalogue(), settings);
  try {
    const wanted = providerIds.flatMap((providerId): TestTarget[] => {
      const pool = live.current.pools.get(providerId);
      return pool?.map(({ name }) => ({ providerId, credential: name })) ?? [{ providerId }];
    });
    return await Promise.all(
      wanted.map((one) => tryProvider(live.current, { ...one, ...(model !== undefined && { model }) })),
    );
  } finally {
    await live.close();
  }
}

/** The same with an organization's own key or provider. */
export async function testOwnProvider(
  settings: Settings,
  { accounts }: Pick<Stores, 'accounts'>,
  wanted: { organizationId: string; providerId: string; model?: string },
): Promise<ProviderTest> {
  const byok = await accounts.findByok(wanted.organizationId);
  const live = createLiveConfiguration(await getBaseCatalogue(), settings, accounts.openCredential);
  try {
    const visible = live.of(byok && { byok });
    const provider = visible.providers.has(wanted.providerId)
      ? visible.providers.get(wanted.providerId)
      : undefined;
    if (provider?.credentialId !== undefined) return await tryProvider(visible, wanted);
    const message = 'the organization has neither a key for this provider nor a custom provider of this name';
    return { providerId: wanted.providerId, ok: false, durationMs: 0, message };
  } finally {
    await live.close();
  }
}

interface TestTarget {
  providerId: string;
  credential?: string;
  model?: string;
}

async function tryProvider(
  live: LiveSettings,
  { providerId, credential, model }: TestTarget,
): Promise<ProviderTest> {
  const provider =
    credential === undefined
      ? live.providers.get(providerId)
      : live.pools?.get(providerId)?.find(({ name }) => name === credential)?.provider;
  const startedMs = performance.now();
  const finish = (facts: Partial<ProviderTest>): ProviderTest => ({
    providerId,
    ...(credential !== undefined && { credential }),
    ok: false,
    ...facts,
    ...(facts.message !== undefined && { message: provider?.redact(facts.message) ?? facts.message }),
    durationMs: Math.round(performance.now() - startedMs),
  });
  if (!provider) return finish({ message: explainAbsence(live, providerId) });
  const mapping = chooseMapping(live, providerId, model);
  if (!mapping)
    return finish({
      message:
        model === undefined ? 'no model of it is known; name one with --model' : `it has no model ${model}`,
    });
  if (!supportsOperation(mapping, 'generations')) {
    const message = 'it does not generate text, which this test requests; call it at its endpoint';
    return finish({ model: mapping.externalId, message });
  }
  const exchange = openExchange(provider, mapping);
  if (exchange instanceof GatewayError)
    return finish({ model: mapping.externalId, message: exchange.message });
  const asked = { exchange, format: provider.getFormat(mapping.format) };
  return finish({
    model: mapping.externalId,
    ...(await ask(provider, asked, live.timeouts.firstEventMs)),
  });
}

function explainAbsence({ catalogue }: LiveSettings, providerId: string): string {
  const known = catalogue.providers.get(providerId);
  if (known)
    return `not configured: set ${known.env[0] ?? 'its credential'}, or give it an apiKey in sluice.yaml`;
  const hint = suggestProvider(providerId, catalogue.providers.keys());
  return `there is no such provider; ${hint}`;
}

/** The providers that can be called, without the built-in one. */
export async function listTestableProviders(settings: Settings): Promise<string[]> {
  const live = createLiveConfiguration(await getBaseCatalogue(), settings);
  await live.close();
  return [...live.current.providers.keys()].filter((id) => id !== 'local');
}

function chooseMapping(
  { catalogue, own }: LiveSettings,
  providerId: string,
  name: string | undefined,
): Mapping | undefined {
  const { models } = own?.providers.has(providerId) === true ? own : catalogue;
  const offers = [...models.values()]
    .flatMap(({ mappings }) => mappings)
    .filter((mapping) => mapping.providerId === providerId);
  if (name !== undefined)
    return offers.find(({ modelId, externalId }) =>
      [modelId, externalId, modelId.replace(`${providerId}/`, '')].includes(name),
    );
  const now = Date.now();
  const writers = offers.filter((mapping) => supportsOperation(mapping, 'generations'));
  const usable = writers.filter((mapping) => isActive(mapping, now) && mapping.stability !== 'deprecated');
  return usable.sort((a, b) => (costOf(a) < costOf(b) ? -1 : 1))[0] ?? writers[0] ?? offers[0];
}

function costOf({ price }: Mapping): bigint {
  return price ? price.parts.inputUncached + price.parts.outputText : 10n ** 30n;
}

function openExchange(provider: Provider, mapping: Mapping): Exchange | GatewayError {
  const request: CanonicalRequest = {
    model: mapping.modelId,
    system: [],
    turns: [{ role: 'user', blocks: [{ type: 'text', text: 'Say ok.' }] }],
    tools: [],
    maxOutputTokens: MOST_OUTPUT,
    stopSequences: [],
    sampling: {},
    stream: false,
    streamUsage: false,
    choices: 1,
    betas: [],
    origin: { format: mapping.format === 'chat' ? 'messages' : 'chat', body: {} },
  };
  const { providerId, externalId, dialect, maxOutput, reasoning } = mapping;
  const target = {
    providerId,
    externalId,
    dialect,
    reasoning,
    ...(maxOutput !== undefined && { maxOutput }),
  };
  try {
    return provider.getFormat(mapping.format).openExchange(request, target);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

/** The test request and its format. */
interface TestRequest {
  exchange: Exchange;
  format: OutboundFormat;
}

type Answer = Pick<ProviderTest, 'ok'> & Partial<ProviderTest>;

function ask(provider: Provider, { exchange, format }: TestRequest, limitMs: number): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const body = { ...exchange.body };
  delete body['stream'];
  delete body['stream_options'];
  const leave = (message: string): void => {
    call.abort();
    resolve({ ok: false, message });
  };
  const sink = new ShortAnswer(MOST_BYTES, {
    onWhole: (response) => resolve({ status: response.status, ...toAnswer(response, { exchange, format }) }),
    onTooMuch: () => leave('the answer is longer than 1 MiB: is the address right?'),
    onFailure: (failure) => resolve({ ok: false, message: describe(failure) }),
  });
  const call = provider.transport.send(
    { path: exchange.path, headers: exchange.headers, body: JSON.stringify(body) },
    sink,
  );
  const timer = setTimeout(() => leave(`no answer within ${limitMs} ms`), limitMs);
  return promise.finally(() => clearTimeout(timer));
}

function toAnswer(response: FailedResponse, { exchange, format }: TestRequest): Answer {
  if (response.status >= 300) return { ok: false, message: describe(format.decodeFailure(response)) };
  const json = parseJsonObject(response.body);
  if (!json) return { ok: false, message: 'the answer is not JSON: is the address right?' };
  const result = exchange.decodeResult(json);
  return isFailure(result) ? { ok: false, message: describe(result) } : { ok: true };
}

const LONGEST_DETAIL = 300;

/** Operators read this, so it includes the provider's own message. */
function describe({ message, detail }: UpstreamFailure): string {
  if (detail === undefined || detail === message) return message;
  return `${message} (${detail.replace(/\s+/g, ' ').slice(0, LONGEST_DETAIL)})`;
}
