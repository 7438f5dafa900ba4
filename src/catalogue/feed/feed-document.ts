import { type Static, Type } from 'typebox';
import { fitsSchema, parseJson, parseMoment } from '#base';
import type { CatalogueFiles } from '../schema/file-schema.ts';
import { modelFileSchema } from '../schema/file-schema.ts';
import { hostedToolsSchema } from '../schema/hosted-tool-schema.ts';
import { modifiersSchema } from '../schema/modifier-schema.ts';
import { describeFault } from '../build/read-files.ts';
import { FeedRefused } from './feed-refused.ts';

/** Rises whenever an earlier version of Sluice could not read a feed any more. */
export const FEED_SCHEMA = 3;

const strict = { additionalProperties: false };

/** The terms of a provider in a feed: prices only, never its address or how to call it. */
const providerTermsSchema = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9][a-z0-9._-]*$' }),
    modifiers: Type.Optional(modifiersSchema),
    hostedTools: Type.Optional(hostedToolsSchema),
  },
  strict,
);

/** A catalogue as it is published. */
export const feedSchema = Type.Object(
  {
    schema: Type.Integer({ minimum: 1, maximum: FEED_SCHEMA }),
    /** Rises with each publication. */
    sequence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    published: Type.String(),
    /** The moment from which changed prices and removals count, if it is later than the gateway's notice. */
    from: Type.Optional(Type.String()),
    providers: Type.Array(providerTermsSchema),
    models: Type.Array(modelFileSchema, { minItems: 1 }),
  },
  strict,
);

export type Feed = Static<typeof feedSchema>;
export type ProviderTerms = Static<typeof providerTermsSchema>;

/** Parses a feed whose signature was verified. Throws FeedRefused. */
export function parseFeed(text: string): Feed {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null)
    throw new FeedRefused('invalid', 'it is not a JSON object');
  const schema = readNumber(value, 'schema');
  if (schema !== undefined && schema > FEED_SCHEMA)
    throw new FeedRefused(
      'schema',
      `it has the schema ${schema}, and this version reads ${FEED_SCHEMA}; upgrade Sluice`,
    );
  if (!fitsSchema(feedSchema, value))
    throw new FeedRefused('invalid', describeFault(feedSchema, value).replace(/^the file/, 'it'));
  for (const name of ['published', 'from'] as const) {
    const moment = value[name];
    if (moment !== undefined && parseMoment(moment) === undefined)
      throw new FeedRefused('invalid', `\`${name}\` is not a time`);
  }
  return value;
}

function readNumber(value: unknown, name: string): number | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'number' ? found : undefined;
}

/** When a feed is published, and from when it counts. */
interface Publication {
  sequence: number;
  publishedAt: number;
  from?: number;
}

/** The text of a feed: the same files give the same bytes. One line per model, so that two can be compared. */
export function renderFeed({ providers, models }: CatalogueFiles, publication: Publication): string {
  const { sequence, publishedAt, from } = publication;
  const head = {
    schema: FEED_SCHEMA,
    sequence,
    published: new Date(publishedAt).toISOString(),
    ...(from !== undefined && { from: new Date(from).toISOString() }),
  };
  const terms = providers.flatMap(({ id, modifiers, hostedTools }) =>
    modifiers || hostedTools
      ? [{ id, ...(modifiers && { modifiers }), ...(hostedTools && { hostedTools }) }]
      : [],
  );
  const list = (entries: readonly unknown[]): string =>
    entries.map((entry) => JSON.stringify(entry)).join(',\n');
  const start = JSON.stringify(head).slice(0, -1);
  return `${start},\n"providers":[\n${list(terms)}\n],\n"models":[\n${list(models)}\n]}\n`;
}
