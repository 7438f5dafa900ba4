import { append } from '#base';
import { type Block, type CanonicalRequest, type MediaBlock, type Turn, contentsOf } from '#canonical';

/** Replaces a model's own image, so that the turn is not empty and the model knows that it generated one. */
export const IMAGE_PLACE = '[image: attached to the next user message]';
/** Text before the image in the user's turn. */
export const IMAGE_NOTE = 'The image you made:';

/** For a format whose assistant turns hold only text and calls: moves their images to the next user turn. */
export function showImages(request: CanonicalRequest): CanonicalRequest {
  return contentsOf(request).hasOwnMedia ? { ...request, turns: moveMedia(request.turns) } : request;
}

function moveMedia(turns: readonly Turn[]): Turn[] {
  const shown: Turn[] = [];
  let waiting: MediaBlock[] = [];
  for (const turn of turns) {
    if (turn.role === 'user' && waiting.length > 0) {
      shown.push({ ...turn, blocks: [...present(waiting), ...turn.blocks] });
      waiting = [];
    } else if (holdsMedia(turn)) {
      append(waiting, turn.blocks.filter(isMedia));
      shown.push({ ...turn, blocks: turn.blocks.map(leavePlace) });
    } else {
      shown.push(turn);
    }
  }
  if (waiting.length > 0) shown.push({ role: 'user', blocks: present(waiting) });
  return shown;
}

function holdsMedia({ role, blocks }: Turn): boolean {
  return role === 'assistant' && blocks.some(isMedia);
}

function isMedia(block: Block): block is MediaBlock {
  return block.type === 'media';
}

function leavePlace(block: Block): Block {
  return isMedia(block) ? { type: 'text', text: IMAGE_PLACE } : block;
}

function present(media: readonly MediaBlock[]): Block[] {
  return [{ type: 'text', text: IMAGE_NOTE }, ...media];
}
