import type { MissReason, PromptChain } from '#logs';
import { CHAIN_PARAMETERS, foldTurns, limitChain } from '#logs';
import type { HashedPrompt } from './hash-prompt.ts';

/** Tools that a reason names. */
const MOST_NAMES = 3;
const MOST_NAME = 64;
/** How many blocks before a mark providers look for cached content. */
const LOOKBACK_BLOCKS = 20;

/** An earlier prompt; only the process that had it knows more than its chain, which is stored. */
export interface EarlierPrompt {
  chain: PromptChain;
  toolNames?: readonly string[];
  undatedSystem?: Uint32Array;
}

/** What a prompt has in common with an earlier one. */
interface Similarity {
  /** It begins with all of the earlier one, unchanged. */
  continues: boolean;
  hasSameHead: boolean;
  /** Turns that are in both, in any place. */
  sharedTurns: number;
}

export function compareChains({ chain: before, toolNames }: EarlierPrompt, prompt: HashedPrompt): Similarity {
  const chain = toolNames ? prompt.chain : limitChain(prompt.chain);
  const hasSameHead = isSame(before.tools, chain.tools) && isSame(before.system, chain.system);
  if (chain.turnCount >= before.turnCount && findFirstChange(before, chain) === undefined)
    return { continues: hasSameHead, hasSameHead, sharedTurns: before.turnCount };
  const known = new Set(before.turns);
  const shared = foldTurns(chain.turns, before.turnsPerHash).filter((turn) => known.has(turn));
  return { continues: false, hasSameHead, sharedTurns: shared.length * before.turnsPerHash };
}

/** The shares of a prompt that the earlier one had too. */
interface SharedParts {
  /** Before the first change. */
  before: number;
  /** Behind it, where a provider cannot read it from its cache. */
  behind: number;
}

export function findSharedParts({ chain }: EarlierPrompt, prompt: HashedPrompt): SharedParts {
  const known = new Set([...chain.tools, ...chain.system, ...chain.turns]);
  const { lengths } = prompt;
  const turns = foldTurns(prompt.chain.turns, chain.turnsPerHash);
  const hashes = [
    ...prompt.chain.tools,
    ...prompt.chain.system,
    ...Array.from(prompt.chain.turns, (_, at) => turns[Math.floor(at / chain.turnsPerHash)] ?? 0),
  ];
  const parts = { before: 0, behind: 0 };
  let hasChanged = false;
  let all = 0;
  for (const [at, length] of lengths.entries()) {
    all += length;
    if (!known.has(hashes[at] ?? 0)) hasChanged = true;
    else parts[hasChanged ? 'behind' : 'before'] += length;
  }
  return all === 0 ? parts : { before: parts.before / all, behind: parts.behind / all };
}

/** What has changed since an earlier prompt, in the order of the prompt. */
export function listChanges(earlier: EarlierPrompt, prompt: HashedPrompt): MissReason[] {
  const { chain: before, toolNames } = earlier;
  const chain = toolNames ? prompt.chain : limitChain(prompt.chain);
  return [
    ...compareTools(earlier, { ...prompt, chain }),
    ...compareSystem(earlier, { ...prompt, chain }),
    ...compareParameters(before.parameters, chain.parameters),
    ...compareTurns(before, chain),
    ...compareMarks(before, chain),
  ];
}

function compareTools({ chain: before, toolNames }: EarlierPrompt, prompt: HashedPrompt): MissReason[] {
  const { chain: after } = prompt;
  if (isSame(before.tools, after.tools)) return [];
  const known = new Map(Array.from(before.toolNames, (name, at) => [name, before.tools[at]]));
  const changes: { text: string; position: number }[] = [];
  for (const [at, name] of after.toolNames.entries()) {
    const hash = known.get(name);
    const sign = hash === undefined ? '+' : hash === after.tools[at] ? '' : '~';
    if (sign !== '') changes.push({ text: `${sign}${prompt.toolNames[at] ?? ''}`, position: at + 1 });
  }
  const left = new Set(after.toolNames);
  for (const [at, name] of before.toolNames.entries())
    if (!left.has(name)) changes.push({ text: `-${toolNames?.[at] ?? 'tool'}`, position: at + 1 });
  const tools = changes.slice(0, MOST_NAMES).map(({ text }) => text.slice(0, MOST_NAME));
  const position = changes[0]?.position ?? findDifference(before.tools, after.tools) + 1;
  const moreTools = changes.length - tools.length;
  return [{ code: 'tools_changed', tools, position, ...(moreTools > 0 && { moreTools }) }];
}

function compareSystem({ chain: before, undatedSystem }: EarlierPrompt, prompt: HashedPrompt): MissReason[] {
  const { system } = prompt.chain;
  if (isSame(before.system, system)) return [];
  const at = findDifference(before.system, system);
  const undated = undatedSystem?.[at];
  const isDate = undated !== undefined && undated === prompt.undatedSystem[at];
  return [{ code: 'system_changed', position: at + 1, ...(isDate && { onlyDate: true }) }];
}

function compareParameters(before: Uint32Array, after: Uint32Array): MissReason[] {
  const parameters = CHAIN_PARAMETERS.filter((_, at) => before[at] !== after[at]);
  return parameters.length === 0 ? [] : [{ code: 'parameters_changed', parameters }];
}

function compareTurns(before: PromptChain, after: PromptChain): MissReason[] {
  const at = findFirstChange(before, after);
  if (at === undefined) return [];
  const position = at * before.turnsPerHash + 1;
  const lastPosition = Math.min((at + 1) * before.turnsPerHash, before.turnCount);
  return [{ code: 'turn_rewritten', position, ...(lastPosition > position && { lastPosition }) }];
}

/** The first hash that differs, of turns that both have. */
function findFirstChange(before: PromptChain, { turns, turnCount }: PromptChain): number | undefined {
  const perHash = before.turnsPerHash;
  const isShorter = turnCount < before.turnCount;
  const own = foldTurns(isShorter ? turns : turns.subarray(0, before.turnCount), perHash);
  // The last hash of a shorter prompt may be of fewer turns.
  const common = isShorter ? Math.floor(turnCount / perHash) : before.turns.length;
  for (let at = 0; at < common; at += 1) if (own[at] !== before.turns[at]) return at;
  return undefined;
}

/** Whether the marks of a prompt find the prefixes that the earlier one's marks put into the cache. */
function compareMarks(before: PromptChain, after: PromptChain): MissReason[] {
  const last = before.marks.at(-1);
  if (last === undefined) return [];
  if (after.marks.length === 0) return [{ code: 'no_marker' }];
  // Behind a change there is nothing to be found.
  const hasChanged = after.turnCount < before.turnCount || findFirstChange(before, after) !== undefined;
  const isFound = hasChanged || after.marks.some((mark) => mark >= last && mark - last <= LOOKBACK_BLOCKS);
  return isFound ? [] : [{ code: 'marker_moved' }];
}

function isSame(one: Uint32Array, other: Uint32Array): boolean {
  return one.length === other.length && findDifference(one, other) === one.length;
}

/** The first place in which lists differ; their shorter length if they do not. */
function findDifference(one: Uint32Array, other: Uint32Array): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at += 1) if (one[at] !== other[at]) return at;
  return most;
}
