import type { JsonObject, JsonValue } from '#base';
import { isJsonObject } from '#base';

/** Items of a request or an answer, with the response that they were stored with. */
interface StoredItems {
  responseId: string;
  items: readonly JsonValue[];
}

/**
 * Stored items as OpenAI lists them: each with an id of its own, by which pages continue, and the content of messages
 * as parts. Requests may leave out ids, and repeat those of earlier answers; the id is then made from the item's place.
 */
export function listInputItems(stored: readonly StoredItems[]): JsonObject[] {
  const seen = new Set<JsonValue>();
  return stored.flatMap(({ responseId, items }) =>
    items.filter(isJsonObject).map((item, at) => {
      const listed = completeMessage(item);
      const { id } = listed;
      const isOwn = typeof id === 'string' && id !== '' && !seen.has(id);
      const name = isOwn ? id : nameItem(listed, `${responseId.replace(/^resp_/, '')}_${at}`);
      seen.add(name);
      return { ...listed, id: name };
    }),
  );
}

function nameItem({ type }: JsonObject, place: string): string {
  return `${type === 'message' ? 'msg' : 'item'}_${place}`;
}

/** Requests may write a message without its type, and its text without parts. */
function completeMessage(item: JsonObject): JsonObject {
  const { type = null, role, content } = item;
  if ((type !== null && type !== 'message') || typeof role !== 'string') return item;
  if (typeof content !== 'string') return { ...item, type: 'message' };
  const part =
    role === 'assistant'
      ? { type: 'output_text', text: content, annotations: [] }
      : { type: 'input_text', text: content };
  return { ...item, type: 'message', content: [part] };
}
