import type { Clock } from '#base';
import type { Usage } from '#canonical';
import type { Mapping } from '#catalogue';
import type { Session } from '#routing';
import { createLru } from '#base';
import { inputTokensOf, outputTokensOf } from '#canonical';
import { cachesByItself } from './caches-by-itself.ts';
import type { PromptPrefix, PromptSize } from '../prompt-size.ts';

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
  /** The part of them that the provider has cached. */
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
  /** Its text up to each of its very last turns. */
  prefixes: readonly PromptPrefix[];
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
/** The least for ordinary text: repetitive prompts have less, and predict nothing about the next ones. */
const LEAST_TOKENS_PER_BYTE = 0.25;
/** Kept of a counted prompt: clients replace its last turn at most, to which they had added something. */
const KEPT_PREFIXES = 4;
/** Shorter prompts consist mostly of the provider's additions. */
const LEARNT_FROM_BYTES = 4_096;
/** Prompts after which the densest one seen is a bound. */
const LEARNT_AFTER = 8;
const MARGIN = 1.1;
/** A provider may add some tokens of its own to each turn. */
const TURN_TOKENS = 64;
/** Providers' counters are estimates; what a prompt costs beyond its hold is added once its usage is reported. */
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
    const { added, dropped } = compareTexts(prompt, known);
    const tokens = known.tokens + added * density + recordingTokens - known.recordingTokens + TURN_TOKENS;
    const isCached = known.account === recipient.account && known.cachedUntilMs > this.#clock.monotonicMs();
    // No byte has more than a token.
    const cached = isCached ? Math.max(0, known.cached - dropped) : 0;
    return { tokens: Math.ceil(tokens), images: images - known.images, cached };
  }

  /** Whether the provider has counted exactly this prompt. */
  isCounted(prompt: PromptSize, recipient: Recipient): boolean {
    const { conversation, textBytes, images, shown = [] } = prompt;
    if (conversation === undefined) return false;
    const known = this.#conversations.get(nameConversation(conversation, recipient));
    const isAsLong =
      known?.textBytes === textBytes && known.images === images && known.shown === shown.length;
    return isAsLong && continues(prompt, known) && findShared(prompt, known) === known.prefixes.at(-1);
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

  /** Learns from a provider's count. */
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
    const learnt = Math.max(seen.most * MARGIN, LEAST_TOKENS_PER_BYTE);
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

type Sizes = Pick<
  CountedPrompt,
  'textBytes' | 'images' | 'recordingTokens' | 'shown' | 'shownHash' | 'prefixes'
>;

function sizesOf({ textBytes, images, recordingTokens, shown = [], prefixes = [] }: PromptSize): Sizes {
  return {
    textBytes,
    images,
    recordingTokens,
    shown: shown.length,
    shownHash: shown.at(-1),
    prefixes: prefixes.slice(-KEPT_PREFIXES),
  };
}

/** Whether a prompt continues a counted one: no fewer bytes, the same text first, and the same images and recordings. */
function continues(prompt: PromptSize, known: Sizes): boolean {
  const { textBytes, images, recordingTokens, shown = [] } = prompt;
  const isLonger =
    known.textBytes <= textBytes && known.images <= images && known.recordingTokens <= recordingTokens;
  const isAlike = known.shown === 0 || shown[known.shown - 1] === known.shownHash;
  return isLonger && isAlike && (known.prefixes.length === 0 || findShared(prompt, known) !== undefined);
}

/** The longest text that a prompt has in common with a counted one. */
function findShared({ prefixes = [] }: PromptSize, known: Sizes): PromptPrefix | undefined {
  return known.prefixes.findLast(({ turns, hash }) =>
    prefixes.some((own) => own.turns === turns && own.hash === hash),
  );
}

/** The bytes that a prompt adds to the text of a counted one, and those of that text that it lacks. */
function compareTexts(prompt: PromptSize, known: Sizes): Record<'added' | 'dropped', number> {
  const [whole, before] = [prompt.prefixes?.at(-1)?.bytes ?? 0, known.prefixes.at(-1)?.bytes ?? 0];
  const dropped = before - (findShared(prompt, known)?.bytes ?? before);
  const [frame, frameBefore] = [prompt.textBytes - whole, known.textBytes - before];
  return { added: whole - before + dropped + Math.max(0, frame - frameBefore), dropped };
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
