import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { type JsonObject, type ParsedText, parseJsonObject, printJson } from '#base';
import type { ClientFormatId, FormatId, Target } from '#canonical';
import { loadCatalogue } from '#catalogue';
import { GatewayError } from '#errors';
import { type OutboundFormat, getInboundFormat, getOutboundFormat } from '#wire';
import { toTarget } from '../../src/pipeline/attempt/target.ts';
import { createCloudFormats } from '../../src/providers/cloud.ts';
import { PROVIDER_FORMATS, createGenerousTarget } from '../docs/targets.ts';
import { CLIENTS } from '../docs/translation/clients.ts';
import {
  anyConversation,
  toChatBody,
  toMessagesBody,
  toResponsesBody,
} from '../support/arbitrary-requests.ts';
import { deepFreeze } from '../support/deep-freeze.ts';
import { repetitions } from '../support/repetitions.ts';

/** Longer than the shortest body whose members are forwarded as received. */
const PAD = 'x'.repeat(20_000);

/** A destination: a model in some provider's dialect. */
interface Way {
  name: string;
  format: OutboundFormat;
  target: Target;
}

const CLIENT_FORMATS = Object.keys(CLIENTS) as ClientFormatId[];
const CONVERSATIONS = { chat: toChatBody, messages: toMessagesBody, responses: toResponsesBody };
const WAYS = await listWays();

/** A model for each dialect of the catalogue, and one per format that supports all of it. */
async function listWays(): Promise<Way[]> {
  const { providers, models } = await loadCatalogue(
    fileURLToPath(new URL('../../catalogue', import.meta.url)),
  );
  const found = new Map<string, Way>();
  for (const mapping of [...models.values()].flatMap(({ mappings }) => mappings)) {
    const { providerId, format, dialect, reasoning } = mapping;
    const cloud = providers.get(providerId)?.cloud;
    const find = cloud ? createCloudFormats(cloud) : getOutboundFormat;
    const name = `${mapping.modelId} of ${providerId}`;
    const key = JSON.stringify([cloud, format, dialect, reasoning]);
    if (!found.has(key)) found.set(key, { name, format: find(format), target: toTarget(mapping) });
  }
  const generous = PROVIDER_FORMATS.map((id) => toGenerousWay(id));
  return [...generous, ...found.values()];
}

function toGenerousWay(id: FormatId): Way {
  return { name: id, format: getOutboundFormat(id), target: createGenerousTarget(id) };
}

/**
 * A long body as received, which must not be modified. A duplicated member determines its length: the last one
 * counts.
 */
function receive(body: JsonObject): ParsedText {
  const [first = ''] = Object.keys(body);
  const bytes = Buffer.from(`{"${first}":"${PAD}",${JSON.stringify(body).slice(1)}`);
  const parsed = parseJsonObject(bytes.toString());
  assert.ok(parsed);
  return { body: deepFreeze(parsed), bytes };
}

/**
 * Asserts that what is sent parses to what was encoded, and returns it; undefined if the model does not support it.
 */
function send(
  client: ClientFormatId,
  received: ParsedText,
  { name, format, target }: Way,
): JsonObject | undefined {
  const inbound = getInboundFormat(client);
  try {
    const recalled = { past: [], items: new Map() };
    const body = inbound.memory?.join(received.body, recalled).body ?? received.body;
    const request = inbound.decodeRequest(body, {});
    inbound.createEcho?.(request);
    const { body: encoded } = format.openExchange(request, target);
    const sent = parseJsonObject(String(printJson(encoded, received)));
    assert.deepEqual(sent, parseJsonObject(JSON.stringify(encoded)), name);
    return encoded;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return undefined;
    throw thrown;
  }
}

/** Whether a member of what is sent is the received value itself. */
function isForwarded(encoded: JsonObject, { body }: ParsedText): boolean {
  return Object.entries(encoded).some(([name, value]) => typeof value === 'object' && value === body[name]);
}

for (const client of CLIENT_FORMATS) {
  test(`no field of a ${client} body is mutated on its way to any model`, () => {
    const { base, samples } = CLIENTS[client];
    let [sent, untouched] = [0, 0];
    for (const [withField, without = {}] of Object.values(samples)) {
      const received = receive({ ...base, ...without, ...withField });
      for (const way of WAYS) {
        const encoded = send(client, received, way);
        if (encoded) sent += 1;
        if (encoded && isForwarded(encoded, received)) untouched += 1;
      }
    }
    assert.ok(sent > WAYS.length * 20, `only ${sent} were sent`);
    assert.ok(untouched > WAYS.length, `only ${untouched} bodies were sent unchanged`);
  });
}

for (const [client, toBody] of Object.entries(CONVERSATIONS) as [
  keyof typeof CONVERSATIONS,
  typeof toChatBody,
][]) {
  test(`no conversation in ${client} is written to on its way to any model`, () => {
    fc.assert(
      fc.property(anyConversation({ marks: true, ids: 'wild' }), (conversation) => {
        const received = receive(toBody(conversation));
        for (const way of WAYS) send(client, received, way);
      }),
      { numRuns: repetitions(6) },
    );
  });
}
