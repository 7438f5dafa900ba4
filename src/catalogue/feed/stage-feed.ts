import { type Steps, parseMoment, reasonOf, runAtOnce } from '#base';
import type { CatalogueFiles } from '../schema/file-schema.ts';
import { buildInSteps } from '../build/build-catalogue.ts';
import { datePrice } from '../pricing/dated-price.ts';
import type { Feed } from './feed-document.ts';
import { FeedRefused } from './feed-refused.ts';
import {
  type FeedState,
  type PendingTerms,
  type StatedMapping,
  type StatedModel,
  composeFiles,
  termsAt,
} from './feed-state.ts';
import { type ChangedAmount, type PriceTerms, compareTerms, sameTerms } from './terms.ts';

/** A change by a feed to a model at a provider, or to all models of a provider. */
export interface FeedChange {
  kind: 'price' | 'added' | 'removed';
  /** Absent for what applies to all models of the provider. */
  modelId?: string;
  providerId: string;
  /** When it counts. */
  from: number;
  /** The amounts of a changed price. */
  amounts: readonly ChangedAmount[];
}

/** The result of a feed on top of what counts now. */
export interface StagedFeed {
  state: FeedState;
  changes: FeedChange[];
}

/** The state a feed is compared with. */
interface FeedContext {
  built: CatalogueFiles;
  /** The state by the last good feed. */
  before: FeedState | undefined;
  now: number;
  /** How long what changes is announced before it counts. */
  noticeMs: number;
}

/** Compares a feed with what counts and announces what differs. Throws FeedRefused if it contradicts itself. */
export function stageFeed(feed: Feed, context: FeedContext): StagedFeed {
  return runAtOnce(stageInSteps(feed, context));
}

/** The same, a step for each model. */
export function* stageInSteps(feed: Feed, context: FeedContext): Steps<StagedFeed> {
  refuseRepetitions(feed);
  const stager = new Stager(feed, context);
  const providers = stager.stageProviders();
  const models = yield* stager.stageModels();
  const state = { providers, models, unknown: [...stager.unknownProviders].sort() };
  yield* refuseContradictions(state, context);
  return { state, changes: stager.changes };
}

/** A feed is compared by provider, and by model and provider: one that has them twice has two prices. */
function refuseRepetitions({ providers, models }: Feed): void {
  const twice = findRepeated(providers.map(({ id }) => id));
  if (twice !== undefined) throw new FeedRefused('invalid', `provider ${twice} is defined twice`);
  for (const { id, mappings } of models) {
    const repeated = findRepeated(mappings.map(({ provider }) => provider));
    if (repeated !== undefined)
      throw new FeedRefused('invalid', `model ${id} has the provider ${repeated} twice`);
  }
}

function findRepeated(ids: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return ids.find((id) => seen.size === seen.add(id).size);
}

/** Both what counts now and what will must make a catalogue. */
function* refuseContradictions(state: FeedState, { built, now }: FeedContext): Steps<void> {
  try {
    const { files, nextAt } = composeFiles(built, state, now);
    yield* buildInSteps(files);
    if (nextAt !== undefined) yield* buildInSteps(composeFiles(built, state, Number.MAX_SAFE_INTEGER).files);
  } catch (error) {
    throw new FeedRefused('invalid', reasonOf(error));
  }
}

type NextPrice = NonNullable<StatedMapping['nextPrice']>;

function isSamePrice(a: NextPrice | undefined, b: NextPrice | undefined): boolean {
  return a !== undefined && b !== undefined && sameTerms({ price: a.price }, { price: b.price });
}

class Stager {
  readonly changes: FeedChange[] = [];
  readonly unknownProviders = new Set<string>();
  readonly #feed: Feed;
  readonly #context: FeedContext;
  /** The earliest moment for a change that is announced now. */
  readonly #soonest: number;
  readonly #known: ReadonlySet<string>;

  constructor(feed: Feed, context: FeedContext) {
    this.#feed = feed;
    this.#context = context;
    this.#soonest = context.now + context.noticeMs;
    this.#known = new Set(context.built.providers.map(({ id }) => id));
  }

  stageProviders(): FeedState['providers'] {
    const { before, built } = this.#context;
    const stated = new Map(this.#feed.providers.map((terms) => [terms.id, terms]));
    const earlier = new Map(before?.providers.map((terms) => [terms.id, terms]));
    for (const id of stated.keys()) if (!this.#known.has(id)) this.unknownProviders.add(id);
    return built.providers.flatMap((provider) => {
      const terms = stated.get(provider.id);
      const prior = earlier.get(provider.id);
      if (!terms && !prior) return [];
      const next = terms ?? { id: provider.id };
      const pending = this.#announce(next, prior ?? provider, { providerId: provider.id });
      return [{ ...next, ...(pending && { pending }) }];
    });
  }

  *stageModels(): Steps<FeedState['models']> {
    const { before, built } = this.#context;
    const earlier = new Map(before?.models.map((model) => [model.id, model]));
    const builtById = new Map(built.models.map((model) => [model.id, model]));
    const stated: StatedModel[] = [];
    for (const model of this.#feed.models) {
      yield;
      const prior = earlier.get(model.id);
      const listed = model.mappings.filter(({ provider }) => this.#isKnown(provider));
      const mappings = listed.map((mapping): StatedMapping => {
        const found =
          prior?.mappings.find(({ provider }) => provider === mapping.provider) ??
          builtById.get(model.id)?.mappings.find(({ provider }) => provider === mapping.provider);
        return this.#stageMapping(model.id, mapping, found);
      });
      const removed = this.#remove(
        prior?.mappings.filter(({ provider }) => !model.mappings.some((one) => one.provider === provider)) ??
          [],
        model.id,
      );
      const all = [...mappings, ...removed];
      if (all.length > 0) stated.push({ ...model, mappings: all });
    }
    const ids = new Set(this.#feed.models.map(({ id }) => id));
    const names = new Set(this.#feed.models.flatMap(({ aliases = [] }) => aliases));
    const gone = (before?.models ?? [])
      .filter(({ id }) => !ids.has(id) && !names.has(id))
      .map((model) => ({ ...model, mappings: this.#remove(model.mappings, model.id) }));
    return [...stated, ...gone];
  }

  #isKnown(providerId: string): boolean {
    if (!this.#known.has(providerId)) this.unknownProviders.add(providerId);
    return this.#known.has(providerId);
  }

  #stageMapping(modelId: string, given: StatedMapping, prior: StatedMapping | undefined): StatedMapping {
    const { now } = this.#context;
    const place = { modelId, providerId: given.provider };
    if (!prior || (prior.removedAt !== undefined && prior.removedAt <= now)) {
      this.changes.push({ kind: 'added', ...place, from: now, amounts: [] });
      return given;
    }
    const known = datePrice(prior, now);
    const announced = isSamePrice(given.nextPrice, known.nextPrice) ? known.nextPrice : undefined;
    const mapping = announced ? given : datePrice(given, now);
    const pending = this.#announce(mapping, known, place);
    const nextPrice = this.#announceNext(mapping, announced, place);
    return { ...mapping, ...(nextPrice && { nextPrice }), ...(pending && { pending }) };
  }

  /** The next price from its day, but not before the end of the notice. */
  #announceNext(
    { price, nextPrice }: StatedMapping,
    announced: NextPrice | undefined,
    place: Pick<FeedChange, 'modelId' | 'providerId'>,
  ): NextPrice | undefined {
    if (!nextPrice) return undefined;
    const known = announced ? Date.parse(announced.from) : Infinity;
    const from = Math.max(Date.parse(nextPrice.from), Math.min(known, this.#soonest));
    if (from !== known) {
      const amounts = compareTerms({ ...(price && { price }) }, { price: nextPrice.price });
      this.changes.push({ kind: 'price', ...place, from, amounts });
    }
    return { ...nextPrice, from: new Date(from).toISOString() };
  }

  /** Announces terms that differ from those in force; an earlier announcement keeps its moment. */
  #announce(
    next: PriceTerms & { priceFrom?: string },
    prior: PriceTerms & { pending?: PendingTerms },
    place: Pick<FeedChange, 'modelId' | 'providerId'>,
  ): PendingTerms | undefined {
    const was = termsAt(prior, this.#context.now);
    if (sameTerms(was, next)) return undefined;
    const isAnnounced = prior.pending !== undefined && sameTerms(prior, next);
    const soonest = isAnnounced ? Math.min(prior.pending?.from ?? 0, this.#soonest) : this.#soonest;
    const asked = next.priceFrom ?? this.#feed.from;
    const stated = (asked !== undefined ? parseMoment(asked) : undefined) ?? 0;
    const kept = isAnnounced && asked === undefined ? (prior.pending?.from ?? 0) : soonest;
    const from = Math.max(stated, kept);
    if (!isAnnounced || from !== prior.pending?.from)
      this.changes.push({ kind: 'price', ...place, from, amounts: compareTerms(was, next) });
    return { was, from };
  }

  #remove(mappings: readonly StatedMapping[], modelId: string): StatedMapping[] {
    const stated = this.#feed.from === undefined ? 0 : (parseMoment(this.#feed.from) ?? 0);
    return mappings.map((mapping) => {
      if (mapping.removedAt !== undefined) return mapping;
      const removedAt = Math.max(stated, this.#soonest);
      this.changes.push({
        kind: 'removed',
        modelId,
        providerId: mapping.provider,
        from: removedAt,
        amounts: [],
      });
      return { ...mapping, removedAt };
    });
  }
}
