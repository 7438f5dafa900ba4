import type { Block, ToolResultBlock } from '#canonical';
import type { Answer } from '../../request/arrange-turns.ts';
import { describeNative } from '../../request/describe-result.ts';
import { describeDocument, isTextual, listInnerMedia } from '../../media/document-text.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { textOf } from '../../body/read-answer.ts';
import type { Members } from '../../body/unchecked.ts';
import { encodeMedia } from './encode-media.ts';
import type { InputList } from './input-list.ts';
import type { ResponsesPart } from '../item-schema.ts';

type Part = Members<ResponsesPart>;

/** Adds all results of one call as one item: text alone as a string, which every upstream accepts, media as parts. */
export function addToolResult(list: InputList, { call, results }: Answer, context: EncodeContext): void {
  const parts: Part[] = [];
  let isMarked = false;
  for (const result of results) {
    for (const block of result.blocks) {
      parts.push(...encodeBlock(block, context));
      isMarked ||= block.cache !== undefined;
    }
  }
  if (results.some((result) => result.isError)) markError(parts);
  const isPlain = parts.every((part) => part.type === 'input_text');
  const keepsParts = !isPlain || (isMarked && context.dialect.cacheMarks !== 'none');
  if (keepsParts) placeMarks(list, { parts, results }, context);
  list.add({
    type: call.custom ? 'custom_tool_call_output' : 'function_call_output',
    call_id: context.ids.encode(call.id),
    output: keepsParts ? parts : parts.map((part) => textOf(part.text)).join('\n'),
  });
  const own = results.find((result) => result.cache)?.cache;
  if (own) list.passMark(own);
}

function encodeBlock(block: Block, context: EncodeContext): Part[] {
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ type: 'input_text', text: block.text }];
    case 'media': {
      const media = isTextual(block) ? listInnerMedia(block) : [block];
      const text = isTextual(block) ? [{ type: 'input_text', text: describeDocument(block) }] : [];
      return [...text, ...media.map((inner) => encodeMedia(inner, context.dialect.media))];
    }
    case 'native': {
      if (block.format === 'responses') return [block.value];
      const text = describeNative(block);
      return text === '' ? [] : [{ type: 'input_text', text }];
    }
    default:
      return [];
  }
}

/** Responses has no field for a failed call. */
function markError(parts: Part[]): void {
  const first = parts[0];
  if (typeof first?.text === 'string') parts[0] = { ...first, text: `Error: ${first.text}` };
  else parts.unshift({ type: 'input_text', text: 'Error: ' });
}

interface EncodedResults {
  parts: Part[];
  results: readonly ToolResultBlock[];
}

function placeMarks(list: InputList, { parts, results }: EncodedResults, context: EncodeContext): void {
  const marks = results.flatMap((result) => result.blocks).map((block) => block.cache);
  // A block may yield no part or several: if they do not match one to one, the last mark is used.
  const isAligned = marks.length === parts.length && context.dialect.cacheMarks !== 'none';
  parts.forEach((part, at) => {
    const mark = isAligned ? marks[at] : undefined;
    list.markPart(part, mark);
  });
  const last = marks.findLast((mark) => mark !== undefined);
  if (!isAligned && last) list.passMark(last);
}
