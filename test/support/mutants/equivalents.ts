import { type Mutant, showDifference } from './find-mutants.ts';
import { LEDGER_EQUIVALENTS } from './ledger-equivalents.ts';
import { ROUTING_EQUIVALENTS } from './routing-equivalents.ts';
import { WIRE_EQUIVALENTS } from './wire-equivalents.ts';

/** A fault that changes nothing anybody could notice, as `showDifference` writes it, with why. */
export interface Equivalent {
  path: string;
  before: string;
  after: string;
  reason: string;
}

export const EQUIVALENTS: readonly Equivalent[] = [
  ...LEDGER_EQUIVALENTS,
  ...ROUTING_EQUIVALENTS,
  ...WIRE_EQUIVALENTS,
  {
    path: 'src/accounts/ledger/requests/admission.ts',
    before: '#arrivals = 0;',
    after: '#arrivals = (0 + 1);',
    reason: 'tickets are only compared with each other',
  },
  {
    path: 'src/wire/gemini/inbound.ts',
    before: 'let showsThoughts = false;',
    after: 'let showsThoughts = true;',
    reason: 'decoding a request sets it before an answer is encoded',
  },
  {
    path: 'src/accounts/rules/checks.ts',
    before: '(a.type < b.type ? -1 : 1)',
    after: '(a.type <= b.type ? -1 : 1)',
    reason: 'two checks of one layer are never of one type',
  },
  {
    path: 'src/accounts/limits/local-counters.ts',
    before: 'this.#windowOf(counter).add(difference, difference < 0 ? atMs : this.#clock.monotonicMs());',
    after:
      'this.#windowOf(counter).add(difference, difference < (0 + 1) ? atMs : this.#clock.monotonicMs());',
    reason: 'amounts are whole, and adding 0 changes no window',
  },
  {
    path: 'src/accounts/limits/local-counters.ts',
    before: 'this.#windowOf(counter).add(difference, difference < 0 ? atMs : this.#clock.monotonicMs());',
    after: 'this.#windowOf(counter).add(difference, difference <= 0 ? atMs : this.#clock.monotonicMs());',
    reason: 'adding 0 changes no window',
  },
  {
    path: 'src/accounts/limits/local-counters.ts',
    before: 'const left = (this.#places.get(counter) ?? 0) - 1;',
    after: 'const left = (this.#places.get(counter) ?? (0 + 1)) - 1;',
    reason: 'without a slot none is left either way',
  },
  {
    path: 'src/catalogue/price.ts',
    before: "if (usage[part] > 0 && part !== 'webSearches') total += parts[part] * BigInt(usage[part]);",
    after: "if (usage[part] >= 0 && part !== 'webSearches') total += parts[part] * BigInt(usage[part]);",
    reason: 'no tokens cost nothing',
  },
  {
    path: 'src/accounts/ledger/leases/leases.ts',
    before: '#reportedMs = 0;',
    after: '#reportedMs = (0 + 1);',
    reason: 'a report sets it before it is read',
  },
  {
    path: 'src/accounts/ledger/leases/leases.ts',
    before:
      'for (const [name, untilMs] of this.#suspended) if (untilMs <= nowMs) this.#suspended.delete(name);',
    after:
      'for (const [name, untilMs] of this.#suspended) if (untilMs < nowMs) this.#suspended.delete(name);',
    reason: 'one that ends now suspends nothing, and the next report removes it',
  },
  {
    path: 'src/accounts/limits/sliding-window.ts',
    before: 'if (second <= this.#newest) return;',
    after: 'if (second < this.#newest) return;',
    reason: 'from the newest second to itself none passes',
  },
  {
    path: 'src/wire/answer/block-queue.ts',
    before: "if (text !== '') this.#give({ type: 'block-delta', index: 0, text });",
    after: "if (text !== '') this.#give({ type: 'block-delta', index: (0 + 1), text });",
    reason: 'the queue numbers the blocks',
  },
  {
    path: 'src/wire/answer/block-queue.ts',
    before: "this.#give({ type: 'block-annotation', index: 0, annotation });",
    after: "this.#give({ type: 'block-annotation', index: (0 + 1), annotation });",
    reason: 'the queue numbers the blocks',
  },
  {
    path: 'src/wire/answer/block-queue.ts',
    before: "const end: BlockEnd = { type: 'block-end', index: 0 };",
    after: "const end: BlockEnd = { type: 'block-end', index: (0 + 1) };",
    reason: 'the queue numbers the blocks',
  },
  {
    path: 'src/wire/request/arrange-turns.ts',
    before: "if (this.#rules.results !== 'in-place' && this.#open.size > 0) this.#open.clear();",
    after: "if (this.#rules.results !== 'in-place' && this.#open.size >= 0) this.#open.clear();",
    reason: 'clearing an empty map changes nothing',
  },
  {
    path: 'src/wire/objects/account-address.ts',
    before: 'if (/^data:/i.test(address)) return false;',
    after: 'if (/^data:/i.test(address)) ;',
    reason: 'it has no host: only a long address takes longer',
  },
  {
    path: 'src/wire/request/arrange-turns.ts',
    before: "if (!blocks.some(({ type }) => type === 'tool-result')) return blocks;",
    after: "if (!blocks.some(({ type }) => type === 'tool-result')) ;",
    reason: 'without results a copy of the same',
  },
  {
    path: 'src/wire/chat/answer/tool-call-slots.ts',
    before: 'this.#add(readFragment({ index: 0, function: call }), { position: 0, of: 1 });',
    after: 'this.#add(readFragment({ index: (0 + 1), function: call }), { position: 0, of: 1 });',
    reason: 'an index is only a key',
  },
  {
    path: 'src/wire/chat/answer/tool-call-slots.ts',
    before: 'this.#add(readFragment({ index: 0, function: call }), { position: 0, of: 1 });',
    after: 'this.#add(readFragment({ index: 0, function: call }), { position: (0 + 1), of: 1 });',
    reason: 'the index decides',
  },
  {
    path: 'src/wire/chat/answer/tool-call-slots.ts',
    before: 'this.#add(readFragment({ index: 0, function: call }), { position: 0, of: 1 });',
    after: 'this.#add(readFragment({ index: 0, function: call }), { position: 0, of: (1 + 1) });',
    reason: 'the index decides',
  },
  {
    path: 'src/wire/objects/references.ts',
    before: 'if (value === IMAGE_TOOL || value === IMAGE_CALL) this.#readImage(owner);',
    after: 'if (value === IMAGE_TOOL || value !== IMAGE_CALL) this.#readImage(owner);',
    reason: 'it is read again for its id, without which it refers to nothing',
  },
  {
    path: 'src/accounts/plans/resource.ts',
    before: 'const amount = (value: PicoUsd = 0n): string => formatUsd(value);',
    after: 'const amount = (value: PicoUsd = (0n + 1n)): string => formatUsd(value);',
    reason: 'a plan has all its amounts',
  },
  {
    path: 'src/pipeline/price/estimate-prompt.ts',
    before: 'for (let at = 0; at < text.length && counted < COUNTED_CHARACTERS; at += SLICE_CHARACTERS) {',
    after: 'for (let at = 0; at <= text.length && counted < COUNTED_CHARACTERS; at += SLICE_CHARACTERS) {',
    reason: 'a slice of no characters has no tokens',
  },
  {
    path: 'src/pipeline/price/hosted-tools.ts',
    before: 'isDispensable: false,',
    after: 'isDispensable: true,',
    reason: 'only of tools of the request it is asked',
  },
  {
    path: 'src/pipeline/price/unseen-work.ts',
    before: '#startedMs = 0;',
    after: '#startedMs = (0 + 1);',
    reason: 'a request is sent before its answer teaches a rate',
  },
  {
    path: 'src/pipeline/price/token-counter.ts',
    before: '#asked = 0;',
    after: '#asked = (0 + 1);',
    reason: 'an id is only a key',
  },
  {
    path: 'src/pipeline/price/token-counter.ts',
    before: 'const id = (this.#asked += 1);',
    after: 'const id = (this.#asked -= 1);',
    reason: 'an id is only a key',
  },
  {
    path: 'src/pipeline/price/token-counter.ts',
    before: 'const id = (this.#asked += 1);',
    after: 'const id = (this.#asked += (1 + 1));',
    reason: 'an id is only a key',
  },
];

export function isEquivalent(mutant: Mutant, text: string): boolean {
  return EQUIVALENTS.some((equivalent) => describes(equivalent, mutant, text));
}

/** Whether the fault, in the text of a file, is the one that was judged. */
export function describes({ path, before, after }: Equivalent, mutant: Mutant, text: string): boolean {
  return path === mutant.path && showDifference(text, mutant) === `    - ${before}\n    + ${after}`;
}
