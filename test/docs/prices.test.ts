import { fileURLToPath } from 'node:url';
import type { HostedToolEntry, Mapping, Modifiers } from '#catalogue';
import { loadCatalogue } from '#catalogue';
import { drawTable, testGeneratedPage } from './generated-page.ts';
import { HOSTED_TOOLS_INTRODUCTION, PRICES_INTRODUCTION } from './prices-introduction.ts';

const catalogue = await loadCatalogue(fileURLToPath(new URL('../../catalogue', import.meta.url)));

type Option = NonNullable<NonNullable<Modifiers['speed']>['values']>[string];

function describe({ factor, price, cacheReadFactor, ...more }: Option): string {
  const { becomes, refuse, contextLength, maxOutput } = more;
  const words = [
    refuse && 'refused',
    factor !== undefined && `× ${factor}`,
    cacheReadFactor !== undefined && `reading the cache × ${cacheReadFactor}`,
    price && `${price.input} in, ${price.output} out`,
    becomes && `may become ${becomes.join(', ')}`,
    contextLength !== undefined && `context of ${contextLength} tokens`,
    maxOutput !== undefined && `answers of ${maxOutput} tokens`,
  ];
  return words.filter((word) => typeof word === 'string').join('; ');
}

function listRows(provider: string, model: string, modifiers: Modifiers = {}): string[][] {
  return Object.entries(modifiers).flatMap(([field, { values }]) =>
    Object.entries(values ?? {}).map(([value, option]) => [
      provider,
      model,
      `\`${field}: ${value}\``,
      describe(option),
    ]),
  );
}

/** What a mapping says beside its provider. */
function listOwn(mapping: Mapping): string[][] {
  const { providerId, modelId, modifiers } = mapping;
  const shared = new Set(
    listRows(providerId, '', catalogue.providers.get(providerId)?.modifiers).map(String),
  );
  return listRows(providerId, '', modifiers)
    .filter((row) => !shared.has(String(row)))
    .map(([provider = '', , option = '', effect = '']) => [provider, modelId, option, effect]);
}

function describeTool({ tool, per, usd, default: usual, freeWith, always }: HostedToolEntry): string {
  if (usd === undefined) return 'tokens alone';
  const amounts = (typeof usd === 'string' ? [usd] : Object.values(usd)).sort(
    (a, b) => Number(a) - Number(b),
  );
  const [least = '', most = least] = [amounts[0], amounts.at(-1)];
  const unit = tool === 'image_tokens' ? 'token' : (per ?? 'tokens');
  const words = [
    `${least === most ? least : `${least} to ${most}`} per ${unit}`,
    usual !== undefined && `by kind, \`${usual}\` where none is named`,
    freeWith && `nothing beside ${freeWith.map((other) => `\`${other}\``).join(' or ')}`,
    always && 'in every request',
  ];
  return words.filter((word) => typeof word === 'string').join('; ');
}

function listTools(provider: string, entries: readonly HostedToolEntry[] = []): string[][] {
  return entries.map((entry) => [
    provider,
    `\`${entry.tool}\``,
    entry.models?.map((model) => `\`${model}\``).join(', ') ?? 'all',
    describeTool(entry),
  ]);
}

testGeneratedPage('docs/prices.md', () => {
  const models = [...catalogue.models.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const rows = [
    ...[...catalogue.providers.values()].flatMap(({ id, modifiers }) => listRows(id, 'all', modifiers)),
    ...models.flatMap(({ mappings }) => mappings.flatMap(listOwn)),
  ];
  const tools = [...catalogue.providers.values()].flatMap(({ id, hostedTools }) =>
    listTools(id, hostedTools),
  );
  return [
    PRICES_INTRODUCTION,
    drawTable(['provider', 'model', 'option', 'effect'], rows),
    '',
    HOSTED_TOOLS_INTRODUCTION,
    `${drawTable(['provider', 'tool', 'models', 'USD'], tools)}\n`,
  ].join('\n');
});
