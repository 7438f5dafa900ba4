import { append } from '#base';
import type { Block, MediaBlock, Turn } from '#canonical';
import { contentsOf } from '#canonical';
import type { OutboundFormat } from '../contract.ts';

/** Replaces a model's own image, so that the turn is not empty and the model knows that it generated one. */
export const IMAGE_PLACE = '[image: attached to the next user message]';
/** Text before the image in the user's turn. */
export const IMAGE_NOTE = 'The image you made:';

/** Wraps a format whose assistant turns hold only text and calls: generated images are moved to a user turn. */
export function withShownImages(format: OutboundFormat): OutboundFormat {
  return {
    ...format,
    openExchange(request, target) {
      const shown = contentsOf(request).hasOwnMedia
        ? { ...request, turns: showImages(request.turns) }
        : request;
      return format.openExchange(shown, target);
    },
  };
}

/** Moves the media of assistant turns to the next user turn. */
function showImages(turns: readonly Turn[]): Turn[] {
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
