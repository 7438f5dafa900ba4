import { fileURLToPath } from 'node:url';
import type { Mapping, Modifiers } from '#catalogue';
import { loadCatalogue } from '#catalogue';
import { drawTable, testGeneratedPage } from './generated-page.ts';
import { PRICES_INTRODUCTION } from './prices-introduction.ts';

const catalogue = await loadCatalogue(fileURLToPath(new URL('../../catalogue', import.meta.url)));

type Option = NonNullable<NonNullable<Modifiers['speed']>['values']>[string];

function describe({ factor, price, becomes, refuse, contextLength, maxOutput }: Option): string {
  const words = [
    refuse && 'refused',
    factor !== undefined && `× ${factor}`,
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

testGeneratedPage('docs/prices.md', () => {
  const models = [...catalogue.models.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const rows = [
    ...[...catalogue.providers.values()].flatMap(({ id, modifiers }) => listRows(id, 'all', modifiers)),
    ...models.flatMap(({ mappings }) => mappings.flatMap(listOwn)),
  ];
  return `${PRICES_INTRODUCTION}\n${drawTable(['provider', 'model', 'option', 'effect'], rows)}\n`;
});
