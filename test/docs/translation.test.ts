import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#base';
import type { ClientFormatId, FormatId } from '#canonical';
import { GatewayError } from '#errors';
import { getInboundFormat, getOutboundFormat, isFailure } from '#wire';
import { drawTable, testGeneratedPage } from './generated-page.ts';
import { createTarget, openPassage } from '../support/exchanges.ts';
import { PROVIDER_FORMATS, createGenerousTarget } from './targets.ts';
import { ANSWERS, findMark } from './translation/answers.ts';
import { CLIENTS } from './translation/clients.ts';
import { type Treatment, type Row, readTreatments } from './translation/treatments.ts';
import { differAt, listPaths } from './translation/paths.ts';

const CLIENT_FORMATS = Object.keys(CLIENTS) as ClientFormatId[];
const TABLES = Object.fromEntries(CLIENT_FORMATS.map((client) => [client, readTreatments(client)])) as Record<
  ClientFormatId,
  Row[]
>;

/** Values that differ only in degree: one sample represents all. */
const SCALES = /(?:ttl|effort|verbosity|summary|detail)=/;

/** Where a shape stands that has its rows elsewhere. */
const TWINS: readonly [twin: string, place: string][] = [
  ['systemInstruction.', 'contents[].'],
  ['input[].output[]', 'input[].content[]'],
  ['tools[].tools[]', 'tools[]'],
  ['cache_control.', 'messages[].content[].cache_control.'],
  ['system[].', 'messages[].content[].'],
  ['messages[].content[].source.content[]', 'messages[].content[]'],
  ['messages[].content[].content[]', 'messages[].content[]'],
  ['contents[].parts[].functionResponse.parts[].', 'contents[].parts[].'],
  ['contents[].parts[].fileData.displayName', 'contents[].parts[].inlineData.displayName'],
  ['input[].tools[]', 'tools[]'],
  ['functions[].', 'tools[].function.'],
  ['function_call=', 'tool_choice='],
  ['messages[].tool_calls[].cache_control', 'messages[].cache_control'],
  ['messages[].tool_calls[].prompt_cache_breakpoint', 'messages[].prompt_cache_breakpoint'],
];

function toTwin(path: string): string {
  const found = TWINS.find(([twin]) => path.startsWith(twin));
  return found ? toTwin(path.replace(...found)) : path;
}

/** Where a body goes and what is sent, as one value. */
function encode(client: ClientFormatId, provider: FormatId, body: JsonObject): JsonObject {
  const request = getInboundFormat(client).decodeRequest(body, {});
  const exchange = getOutboundFormat(provider).openExchange(request, createGenerousTarget(provider));
  return { path: exchange.path, ...exchange.headers, ...exchange.body };
}

for (const client of CLIENT_FORMATS) {
  const { base, samples } = CLIENTS[client];
  const table = TABLES[client];

  test(`every field of ${client} has a row and a sample`, () => {
    assert.deepEqual(
      table.map(({ field }) => field),
      Object.keys(samples),
      `the rows of translation/${client}.txt and the samples of ${client}-fields.ts have one order`,
    );
    const covered = new Set(
      [{ body: base }, ...Object.values(samples).map(([body]) => ({ body }))].flatMap(({ body }) => [
        ...listPaths(body),
      ]),
    );
    const missing = CLIENTS[client].known.filter(
      (path) => !covered.has(path) && !covered.has(toTwin(path)) && !SCALES.test(path),
    );
    const advice = `add a row to translation/${client}.txt and a sample to ${client}-fields.ts`;
    assert.deepEqual(missing, [], advice);
  });

  test(`every dropped or specially handled field of ${client} has a reason`, () => {
    for (const { field, treatments, why } of table) {
      const needsReason = Object.values(treatments).some(({ kind }) => kind === 'dropped' || kind === 'here');
      assert.equal(why !== '', needsReason, field);
    }
  });

  for (const provider of PROVIDER_FORMATS) {
    test(`${client} to ${provider}: every field is mapped, dropped or refused as documented`, () => {
      for (const { field, treatments } of table) {
        const [withField, without = {}] = samples[field] ?? [{}];
        const before = encode(client, provider, { ...base, ...without });
        const send = () => encode(client, provider, { ...base, ...without, ...withField });
        assertTreatment(field, treatments[provider], { before, send });
      }
    });
  }
}

interface Sending {
  before: JsonObject;
  send(): JsonObject;
}

function assertTreatment(field: string, treatment: Treatment, { before, send }: Sending): void {
  if (treatment.kind === 'refused') {
    assert.throws(send, (thrown) => isRefusal(thrown, field, treatment.words), `${field} is not refused`);
    return;
  }
  const after = send();
  if (treatment.kind !== 'mapped') {
    assert.deepEqual(after, before, `${field} is not ${treatment.kind}`);
    return;
  }
  for (const path of treatment.paths) {
    assert.ok(differAt(path, before, after), `${field} does not become ${path}: ${JSON.stringify(after)}`);
  }
}

const REFUSALS: ReadonlySet<string> = new Set(['unsupported_feature', 'invalid_request', 'thread_not_found']);

/** An error that names the field, in its text or as its `param`. */
function isRefusal(thrown: unknown, field: string, words: string): boolean {
  assert.ok(thrown instanceof GatewayError, String(thrown));
  assert.ok(REFUSALS.has(thrown.code), thrown.message);
  assert.ok(thrown.message.includes(words), `${field}: ${thrown.message}`);
  const [top = field] = field.split(/[[.( ]/);
  const reported = `${thrown.facts.param ?? ''} ${thrown.message}`;
  assert.ok(reported.includes(top), `${field} is not named: ${reported}`);
  return true;
}

function drawTreatment(treatment: Treatment): string {
  if (treatment.kind === 'mapped') return treatment.paths.map((path) => `\`${path}\``).join(', ');
  if (treatment.kind === 'refused') return 'refused';
  return treatment.kind === 'here' ? 'by the gateway' : 'dropped';
}

function drawClient(client: ClientFormatId): string {
  const rows = TABLES[client].map(({ field, treatments, why }) => {
    const words = [
      ...new Set(
        Object.values(treatments).flatMap((treatment) =>
          treatment.kind === 'refused' ? [treatment.words] : [],
        ),
      ),
    ];
    const refusals = words.map((word) => `“${word}”`).join(', ');
    const cells = PROVIDER_FORMATS.map((provider) => drawTreatment(treatments[provider]));
    return [drawField(field), ...cells, [refusals, why].filter((part) => part !== '').join('; ')];
  });
  return `## From ${client}\n\n${drawTable(['field', ...PROVIDER_FORMATS, 'reason, or text of the refusal'], rows)}\n`;
}

/** The path as code, what is said about it in words. */
function drawField(field: string): string {
  const match = /^([\w.[\]]+)(.*)$/.exec(field);
  return field.startsWith('any other') || !match ? field : `\`${match[1] ?? ''}\`${match[2] ?? ''}`;
}

/** The fields in which a client finds a member of a provider's answer. */
function findInAnswer(client: ClientFormatId, provider: FormatId, answer: JsonObject): string[] {
  const { exchange, inbound, context } = openPassage(client, createTarget(provider), provider);
  const result = exchange.decodeResult(answer);
  assert.ok(!isFailure(result), JSON.stringify(result));
  return [...new Set(findMark(inbound.encodeResult(result, context)))];
}

for (const provider of PROVIDER_FORMATS) {
  test(`text, calls and pages cited by ${provider} answers reach every client, and its own clients get all`, () => {
    for (const [member, answer] of Object.entries(ANSWERS[provider])) {
      const isForAll =
        /text$|content$|calls|input|arguments|functionCall|toolUse$|citation|search_res|grounding/.test(
          member,
        );
      for (const client of CLIENT_FORMATS) {
        if (!isForAll && client !== provider) continue;
        assert.notDeepEqual(findInAnswer(client, provider, answer), [], `${member} for ${client}`);
      }
    }
  });
}

function drawAnswers(provider: FormatId): string {
  const rows = Object.entries(ANSWERS[provider]).map(([member, answer]) => [
    drawField(member),
    ...CLIENT_FORMATS.map((client) => {
      const paths = findInAnswer(client, provider, answer);
      return paths.length === 0 ? 'dropped' : paths.map((path) => `\`${path}\``).join(', ');
    }),
  ]);
  return `### Answers of ${provider}\n\n${drawTable(['member', ...CLIENT_FORMATS], rows)}\n`;
}

testGeneratedPage(
  'docs/translation.md',
  () => `# Translation

These tables show how each field of a client's format is translated for a provider of another format. A cell has the provider's
field, \`refused\` (an error that names the field), \`by the gateway\` (handled by the gateway itself), or \`dropped\`. A field is never
dropped unless it is listed here. The tables assume a provider that supports everything in its format; further limits of a model are in
its \`dialect\` (\`src/canonical/target.ts\`). Unknown fields never cause a Messages request to be refused.

Files, containers and other objects of a provider account are sent if they belong to the caller
([decision 17](decisions/0017-objects-of-a-provider-account.md)). Models besides \`model\` are sent if the access rules allow them.
Unknown types of tools are sent with an organization's own provider key; otherwise they are refused by name, because their cost is not
known. Hosted tools without a known price are refused by name too, even if their cell has a field. The \`web_search\` of Responses is
omitted instead if the request has other tools ([hosted tools](prices.md#hosted-tools)).

Tools that \`additional_tools\` and \`tool_search_output\` items of Responses add are offered for the whole conversation, like those in
\`tools\`; a later definition of a tool replaces an earlier one. A tool in a namespace is named \`namespace__name\`, numbered if another
tool has that name. Its calls return with their namespace. A \`tool_search\` that the client runs becomes a function, whose calls return
as \`tool_search_call\`; one that OpenAI runs is dropped, and deferred tools are offered at once.

Generated from \`test/docs/translation/*.txt\`; tests prove every cell.
\`UPDATE_DOCS=1 npm test -- --only test/docs\` updates this page.

${CLIENT_FORMATS.map(drawClient).join('\n')}
## Answers

These tables show the field in which clients of each format receive a member of a provider's response. Clients of the provider's own
format receive its items and blocks unchanged. Gemini clients receive thoughts if they request them (\`includeThoughts\`).

${PROVIDER_FORMATS.map(drawAnswers).join('\n')}`,
);
