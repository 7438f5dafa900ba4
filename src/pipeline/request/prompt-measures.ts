import type { Clock } from '#base';
import type { Usage } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Session } from '#routing';
import { createLru } from '#base';
import { inputTokensOf, outputTokensOf } from '#canonical';
import type { PromptSize } from './prompt-size.ts';

/** Who sends a prompt where. */
interface Recipient {
  mapping: Mapping;
  /** The key; prompts of other keys are unrelated. */
  holder: string;
  /** The provider's account (`accountOf`): each has a prompt cache of its own. */
  account?: string | undefined;
}

interface Measured {
  /** The most tokens of the prompt, without new images. */
  tokens: number;
  /** Images whose tokens are not among them. */
  images: number;
  /** Of these, how many the provider has cached. */
  cached: number;
}

/** The last prompt of a conversation, as its provider counted it. */
interface CountedPrompt {
  textBytes: number;
  images: number;
  recordingTokens: number;
  /** How many images and recordings it had, and their hash. */
  shown: number;
  shownHash: string | undefined;
  tokens: number;
  cached: number;
  /** The account that has it cached. */
  account: string | undefined;
  /** When the provider drops it from its cache, on the monotonic clock. */
  cachedUntilMs: number;
}

/** Where the last prompt of a conversation is cached. */
interface Home extends Pick<CountedPrompt, 'textBytes' | 'tokens' | 'cached' | 'cachedUntilMs'> {
  home: Session['home'];
  outputTokens: number;
}

/** Held per byte until a model's own prompts are known: ordinary text has a third of it, other scripts hardly more. */
const USUAL_TOKENS_PER_BYTE = 0.5;
/** Short prompts are mostly what the provider adds. */
const LEARNT_FROM_BYTES = 4_096;
/** Prompts after which the densest one seen is a bound. */
const LEARNT_AFTER = 8;
const MARGIN = 1.1;
/** A provider may add some tokens of its own to each turn. */
const TURN_TOKENS = 64;
/** Counters are estimates, as Anthropic documents for its own; what a prompt has beyond its hold is added when it is reported. */
const COUNT_MARGIN = 1.02;
/** Shorter than the shortest cache lifetime, and than the longer one that can be asked for. */
const CACHED_MS = 4.5 * 60_000;
const CACHED_LONG_MS = 55 * 60_000;

/**
 * How many tokens a prompt has at most, learnt from the counts of providers: per model the densest text seen, per
 * conversation its last prompt, to which only the new text is added.
 */
export class PromptMeasures {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #densities = createLru<string, { most: number; count: number }>(2_000);
  readonly #conversations = createLru<string, CountedPrompt>(20_000);
  /** By conversation and holder, whatever the mapping. */
  readonly #homes = createLru<string, Home>(20_000);

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  measure(prompt: PromptSize, recipient: Recipient): Measured {
    const { bound, textBytes, images, recordingTokens, hasDocuments, conversation } = prompt;
    if (conversation === undefined || !Number.isFinite(bound)) return { tokens: bound, images, cached: 0 };
    const density = this.#findDensity(recipient.mapping);
    const known = this.#conversations.get(nameConversation(conversation, recipient));
    if (!known || !continues(prompt, known)) {
      const tokens = textBytes * density + recordingTokens;
      return { tokens: hasDocuments ? Infinity : atMost(bound, tokens), images, cached: 0 };
    }
    const added = (textBytes - known.textBytes) * density + recordingTokens - known.recordingTokens;
    const tokens = known.tokens + added + TURN_TOKENS;
    const isCached = known.account === recipient.account && known.cachedUntilMs > this.#clock.monotonicMs();
    return { tokens: Math.ceil(tokens), images: images - known.images, cached: isCached ? known.cached : 0 };
  }

  /** Whether the provider has counted exactly this prompt. */
  isCounted(prompt: PromptSize, recipient: Recipient): boolean {
    const { conversation, textBytes, images, shown = [] } = prompt;
    if (conversation === undefined) return false;
    const known = this.#conversations.get(nameConversation(conversation, recipient));
    const isAsLong =
      known?.textBytes === textBytes && known.images === images && known.shown === shown.length;
    return isAsLong && continues(prompt, known);
  }

  /** Records a provider's own count of a prompt before it is sent. */
  count(prompt: PromptSize, recipient: Recipient, counted: number): void {
    const { conversation } = prompt;
    if (conversation === undefined) return;
    const name = nameConversation(conversation, recipient);
    const { cached } = this.measure(prompt, recipient);
    const cachedUntilMs = this.#conversations.get(name)?.cachedUntilMs ?? -Infinity;
    const tokens = Math.ceil(counted * COUNT_MARGIN);
    const { account } = recipient;
    this.#conversations.set(name, { ...sizesOf(prompt), tokens, cached, account, cachedUntilMs });
  }

  /** Learns from what a provider counted. */
  learn(prompt: PromptSize, recipient: Recipient, usage: Usage): void {
    const { bound, textBytes, images, recordingTokens, conversation } = prompt;
    const tokens = inputTokensOf(usage);
    if (conversation === undefined || !Number.isFinite(bound) || tokens === 0) return;
    if (images === 0 && recordingTokens === 0 && textBytes >= LEARNT_FROM_BYTES)
      this.#addDensity(recipient.mapping, tokens / textBytes);
    const cached = usage.inputCacheRead + usage.inputCacheWrite5m + usage.inputCacheWrite1h;
    const cachedUntilMs =
      this.#clock.monotonicMs() + (usage.inputCacheWrite1h > 0 ? CACHED_LONG_MS : CACHED_MS);
    const { mapping, holder, account } = recipient;
    const known = { ...sizesOf(prompt), tokens, cached, account, cachedUntilMs };
    this.#conversations.set(nameConversation(conversation, recipient), known);
    const name = `${holder} ${conversation}`;
    const last = this.#homes.get(name)?.home;
    const { providerId, externalId } = mapping;
    const home = { providerId, externalId, account };
    const isExpected =
      last?.providerId === providerId && last.externalId === externalId && last.account === account;
    this.#homes.set(name, {
      ...known,
      home,
      cached: cached === 0 && !isExpected && cachesByItself(mapping) ? tokens : cached,
      outputTokens: outputTokensOf(usage),
    });
  }

  /** Where the last prompt of a conversation is still cached, and what its next request is expected to use. */
  findSession({ conversation, textBytes }: PromptSize, holder: string): Session | undefined {
    if (conversation === undefined) return undefined;
    const home = this.#homes.get(`${holder} ${conversation}`);
    if (!home || home.cached === 0 || home.cachedUntilMs <= this.#clock.monotonicMs()) return undefined;
    const promptTokens = (home.tokens * textBytes) / home.textBytes;
    return {
      home: home.home,
      promptTokens,
      cachedTokens: Math.min(home.cached, promptTokens),
      outputTokens: home.outputTokens,
    };
  }

  #findDensity(mapping: Mapping): number {
    const seen = this.#densities.get(nameMapping(mapping));
    if (!seen) return USUAL_TOKENS_PER_BYTE;
    const learnt = seen.most * MARGIN;
    return seen.count < LEARNT_AFTER ? Math.max(learnt, USUAL_TOKENS_PER_BYTE) : learnt;
  }

  #addDensity(mapping: Mapping, density: number): void {
    const name = nameMapping(mapping);
    const seen = this.#densities.get(name);
    if (!seen) this.#densities.set(name, { most: density, count: 1 });
    else {
      seen.most = Math.max(seen.most, density);
      seen.count += 1;
    }
  }
}

type Sizes = Pick<CountedPrompt, 'textBytes' | 'images' | 'recordingTokens' | 'shown' | 'shownHash'>;

function sizesOf({ textBytes, images, recordingTokens, shown = [] }: PromptSize): Sizes {
  return { textBytes, images, recordingTokens, shown: shown.length, shownHash: shown.at(-1) };
}

/** Whether a prompt has all of a counted one: not fewer bytes, and the same images and recordings first. */
function continues({ textBytes, images, recordingTokens, shown = [] }: PromptSize, known: Sizes): boolean {
  const isLonger =
    known.textBytes <= textBytes && known.images <= images && known.recordingTokens <= recordingTokens;
  return isLonger && (known.shown === 0 || shown[known.shown - 1] === known.shownHash);
}

/** Whether a provider caches prompts without being asked; it reports only what it reads. */
function cachesByItself({ dialect, price }: Mapping): boolean {
  if (!price || dialect.cacheMarks === 'cache_control' || dialect.cacheMarks === 'cachePoint') return false;
  return price.parts.inputCacheRead < price.parts.inputUncached;
}

function atMost(bound: number, tokens: number): number {
  return Math.min(bound, Math.ceil(tokens));
}

function nameMapping({ providerId, externalId }: Mapping): string {
  return `${providerId}/${externalId}`;
}

function nameConversation(conversation: string, { mapping, holder }: Omit<Recipient, 'account'>): string {
  return `${holder} ${nameMapping(mapping)} ${conversation}`;
}
