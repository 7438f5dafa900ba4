import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientFormatId, FormatId } from '#canonical';
import { CAPABILITIES } from './compatibility/capabilities.ts';
import { type Losses, tryCapability, tryErrors, tryStreaming } from './compatibility/cell.ts';
import { type Limit, findLimit } from './compatibility/limits.ts';
import { drawTable, testGeneratedPage } from './generated-page.ts';
import { PROVIDER_FORMATS } from './targets.ts';
import { CLIENTS } from './translation/clients.ts';

type Try = (client: ClientFormatId, provider: FormatId) => Losses;

const CLIENT_FORMATS = Object.keys(CLIENTS) as ClientFormatId[];
const TRIES: readonly (readonly [name: string, run: Try])[] = [
  ...CAPABILITIES.map((capability) => {
    const run: Try = (client, provider) => tryCapability(client, provider, capability);
    return [capability.name, run] as const;
  }),
  ['errors', tryErrors],
  ['streaming', tryStreaming],
];

for (const client of CLIENT_FORMATS) {
  for (const provider of PROVIDER_FORMATS) {
    test(`a ${client} client of a ${provider} provider gets what the table says`, () => {
      for (const [name, run] of TRIES) {
        const losses = run(client, provider);
        const limit = findLimit(client, provider, name);
        assert.deepEqual(Object.keys(losses), limit?.lost ?? [], `${name}: ${JSON.stringify(losses)}`);
      }
    });
  }
}

test('a capability that is lost is seen to be lost, in every part', () => {
  for (const capability of CAPABILITIES) {
    const lost = { ...capability, asked: /never said/, complain: () => 'lost' };
    assert.deepEqual(Object.keys(tryCapability('chat', 'messages', lost)), ['asked', 'json', 'sse']);
    const silent = { ...capability, said: { text: 'Nothing of the kind.' } };
    assert.deepEqual(Object.keys(tryCapability('chat', 'messages', silent)), ['json', 'sse']);
  }
});

function drawPage(): string {
  const notes: string[] = [];
  const drawCell = (limit: Limit | undefined): string => {
    if (!limit) return 'yes';
    if (limit.lost.length === 3) return `no (${limit.why})`;
    if (!notes.includes(limit.why)) notes.push(limit.why);
    return `partly [${notes.indexOf(limit.why) + 1}]`;
  };
  const rows = CLIENT_FORMATS.flatMap((client) =>
    PROVIDER_FORMATS.map((provider) => [
      client,
      provider,
      ...TRIES.map(([name]) => drawCell(findLimit(client, provider, name))),
    ]),
  );
  const table = drawTable(['client', 'provider', ...TRIES.map(([name]) => name)], rows);
  return `# Compatibility

What a client of one format can do with a provider of another. Every cell is proven: a request with the capability is
written for the provider, an answer of that provider with it is read and given to the client, as JSON and as a stream, and
read again as the client reads it. The providers are taken to understand all that their format can say.

${table}

${notes.map((note, at) => `[${at + 1}] ${note}`).join('\\\n')}

Made by \`test/docs/compatibility.test.ts\`; \`UPDATE_DOCS=1 npm test -- --only test/docs\` writes it again. What
becomes of every single field is in \`docs/translation.md\`.
`;
}

testGeneratedPage('docs/compatibility.md', drawPage);
