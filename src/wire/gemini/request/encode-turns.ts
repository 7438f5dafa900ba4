import { append } from '#base';
import type { Block, Turn } from '#canonical';
import {
  type ArrangedTurn,
  type Message,
  type TurnRules,
  arrangeTurns,
  fillEnds,
  joinMessages,
} from '../../request/arrange-turns.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { encodeMedia } from './encode-media.ts';
import { encodeModelParts } from './encode-model-parts.ts';
import { encodeOrphan, encodeToolResult } from './encode-tool-result.ts';
import type { Members } from '../../body/unchecked.ts';
import type { GeminiContent, GeminiPart } from '../schema.ts';

type RawPart = Members<GeminiPart>;

const FILLER = '…';

/**
 * Contents alternate between user and model; the next one begins with the answers to a model's calls, in call order.
 */
const RULES: TurnRules = { joins: 'all', system: 'user', results: 'by-call' };

export function encodeTurns(turns: readonly Turn[], context: EncodeContext): Members<GeminiContent>[] {
  const messages: Message<RawPart>[] = [];
  for (const turn of arrangeTurns(turns, RULES)) messages.push(encodeTurn(turn, context));
  const contents = joinMessages(messages);
  fillEnds(contents, { opening: { text: FILLER } });
  return contents.map(({ role, content }) => ({
    role: role === 'assistant' ? 'model' : 'user',
    parts: content,
  }));
}

function encodeTurn({ role, blocks, answers }: ArrangedTurn, context: EncodeContext): Message<RawPart> {
  if (role === 'assistant') return { role, content: encodeModelParts(blocks, context) };
  const content: RawPart[] = [];
  const siblings: RawPart[] = [];
  for (const answer of answers) {
    const encoded = encodeToolResult(answer, context);
    content.push(encoded.part);
    append(siblings, encoded.siblings);
  }
  append(content, siblings);
  for (const block of blocks) append(content, encodeUserBlock(block, context));
  return { role, content };
}

function encodeUserBlock(block: Block, context: EncodeContext): RawPart[] {
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ text: block.text }];
    case 'media':
      return encodeMedia(block, context.dialect);
    case 'tool-result':
      return encodeOrphan(block, context);
    case 'native':
      return block.format === 'gemini' ? [block.value] : [];
    default:
      return [];
  }
}
