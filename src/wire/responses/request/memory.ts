import type { JoinedBody, MemoryFormat, RecalledConversation } from '../../contract.ts';
import type { ResponsesItem } from '../item-schema.ts';
import type { ResponsesBody } from '../schema.ts';
import { isArray, isObject } from '../../body/read-field.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import { checkInput } from './check-request.ts';

/** Continues Responses requests from stored ones. Malformed input is left to `decodeRequest` to refuse. */
export const responsesMemory: MemoryFormat = {
  read: (body: Members<ResponsesBody>) => {
    const { previous_response_id: previousId, store } = body;
    const isPresent = typeof previousId === 'string' && previousId !== '';
    return {
      isKept: store !== false,
      itemIds: toItems(body.input)?.flatMap(findReference) ?? [],
      ...(isPresent && { previousId }),
    };
  },
  join: joinBody,
};

function joinBody(body: Members<ResponsesBody>, { past, items }: RecalledConversation): JoinedBody {
  const sent = body.input === undefined && past.length > 0 ? [] : toItems(body.input);
  if (!sent) return { body, added: [] };
  if (past.length === 0 && items.size === 0) return { body, added: sent };
  const added = sent.map((item) => {
    const [id] = findReference(item);
    return id === undefined ? item : (items.get(id) ?? item);
  });
  // Checked alone first, so that errors use the caller's paths.
  if (past.length > 0 && added.length > 0) checkInput(added, 'input');
  return { body: { ...body, input: [...past, ...added] }, added };
}

function toItems(input: Members<ResponsesBody>['input']): Unchecked<ResponsesItem>[] | undefined {
  if (isArray(input)) return input;
  if (typeof input !== 'string' || input === '') return undefined;
  return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
}

/** The id an item refers to, identified by its type or by having no other members. */
function findReference(item: Unchecked<ResponsesItem>): string[] {
  if (!isObject(item)) return [];
  const { id, type = null, role } = item;
  const isReference = type === 'item_reference' || (type === null && role === undefined);
  return isReference && typeof id === 'string' ? [id] : [];
}
