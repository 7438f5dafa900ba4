import type { Block, CanonicalRequest, Turn } from '#canonical';
import type { Members } from '../../body/unchecked.ts';

const INTRODUCTION = 'Summary of the conversation so far:\n';

/** Anthropic's block in place of the turns it summarizes. */
interface Compaction {
  type: string;
  content: string;
}

/** The text of a block that summarizes the conversation before it; Anthropic reports a failed summary as `null`. */
export function summaryOf({ type, content }: Members<Compaction>): string | undefined {
  if (type !== 'compaction' || typeof content !== 'string' || content === '') return undefined;
  return `${INTRODUCTION}${content}`;
}

/** For a format without these blocks: the summary becomes user text, because it may be all that is left of the conversation. */
export function stateSummaries(request: CanonicalRequest): CanonicalRequest {
  const { turns, origin } = request;
  if (origin.format !== 'messages' || !turns.some(({ blocks }) => blocks.some(readSummary))) return request;
  return { ...request, turns: turns.flatMap(stateSummary) };
}

function stateSummary(turn: Turn): Turn[] {
  const summaries = turn.blocks.flatMap((block): Block[] => {
    const text = readSummary(block);
    return text === undefined ? [] : [{ type: 'text', text, ...(block.cache && { cache: block.cache }) }];
  });
  if (summaries.length === 0) return [turn];
  const rest = turn.blocks.filter((block) => readSummary(block) === undefined);
  const stated: Turn = { role: 'user', blocks: summaries };
  return rest.length === 0 ? [stated] : [stated, { ...turn, blocks: rest }];
}

function readSummary(block: Block): string | undefined {
  return block.type === 'native' ? summaryOf(block.value) : undefined;
}
