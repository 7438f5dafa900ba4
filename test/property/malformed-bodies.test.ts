import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { ClientFormatId } from '#canonical';
import { GatewayError } from '#errors';
import { createGeminiInbound, getInboundFormat } from '#wire';
import { CLIENTS } from '../docs/translation/clients.ts';

/** A value of each kind, some nested. */
const VALUES: readonly JsonValue[] = [
  null,
  0,
  -1,
  1.5,
  1e300,
  '',
  'x',
  'data:x',
  true,
  [],
  ['x'],
  [null],
  [{}],
  {},
  { type: 'x' },
  { type: 7 },
];

/** Every body that differs from a body in one place, and that place. */
function* listSpoiled(
  value: JsonValue,
  path: string,
): Generator<{ spoiled: JsonValue | undefined; path: string }> {
  yield { spoiled: undefined, path };
  for (const spoiled of VALUES) yield { spoiled, path };
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries())
      for (const inner of listSpoiled(item, `${path}[${at}]`))
        yield { ...inner, spoiled: value.toSpliced(at, 1, ...[inner.spoiled ?? []].flat(0)) };
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value))
      for (const inner of listSpoiled(member ?? null, `${path}.${name}`))
        yield { ...inner, spoiled: { ...value, [name]: inner.spoiled } };
  }
}

/** The body is decoded, or refused by the path of a member. */
function decode(client: ClientFormatId, body: JsonObject): void {
  const format =
    client === 'gemini' ? createGeminiInbound({ model: 'm', stream: false }) : getInboundFormat(client);
  try {
    format.decodeRequest(body, {});
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    const { param = '' } = thrown.facts;
    assert.ok(param !== '' && thrown.message.includes(param), thrown.message);
  }
}

for (const client of Object.keys(CLIENTS) as ClientFormatId[]) {
  test(`${client}: a body with any member missing or of another kind is decoded or refused by a path`, () => {
    const { base, samples } = CLIENTS[client];
    for (const [fields] of Object.values(samples)) {
      for (const { spoiled, path } of listSpoiled({ ...base, ...fields }, '')) {
        if (isJsonObject(spoiled)) assert.doesNotThrow(() => decode(client, spoiled), `at ${path}`);
      }
    }
  });
}
