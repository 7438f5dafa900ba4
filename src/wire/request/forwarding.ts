import type { Dialect, FormatId } from '#canonical';
import { isMisnamedUrl } from '../media/media-type.ts';
import type { EncodeContext } from './encode-context.ts';

/** How a format makes the body of a request. */
interface BodyWriter<Body> {
  format: FormatId;
  /**
   * The caller's own body, with what the upstream would refuse replaced in a copy, or `undefined` if it must be
   * encoded. Checks look at shapes only, never at text, because agents resend the whole conversation each turn.
   */
  forward(context: EncodeContext): Body | undefined;
  encode(context: EncodeContext): Body;
}

/** Forwards a body of the upstream's own format if the upstream accepts it, and encodes all others. */
export function writeBody<Body>(context: EncodeContext, { format, forward, encode }: BodyWriter<Body>): Body {
  const forwarded = context.request.origin.format === format ? forward(context) : undefined;
  return forwarded ?? encode(context);
}

/** Whether instructions are where the dialect accepts them: some only at the start, or only as `system`. */
export function fitsRoles(messages: readonly { role?: unknown }[], dialect: Dialect): boolean {
  let isOpening = true;
  for (const { role } of messages) {
    const isSystem = role === 'system' || role === 'developer';
    if (!isSystem) isOpening = false;
    else if (!isOpening && dialect.midSystem === 'as-user') return false;
    if (role === 'developer' && dialect.systemRole === 'system') return false;
  }
  return true;
}

/** Whether an upstream accepts an image by this URL. */
export function fitsImage(url: unknown, { image, imageUrl }: Dialect['media']): boolean {
  if (!image || isMisnamedUrl(url)) return false;
  return imageUrl || (typeof url === 'string' && url.startsWith('data:'));
}

/** Whether an object has a prompt-cache mark that its upstream does not understand. */
export function hasForeignMark(
  owner: { cache_control?: unknown; prompt_cache_breakpoint?: unknown },
  supported: Dialect['cacheMarks'],
): boolean {
  if (owner.cache_control !== undefined && supported !== 'cache_control') return true;
  return owner.prompt_cache_breakpoint !== undefined && supported !== 'prompt_cache_breakpoint';
}

/**
 * The list itself if no item changes, else a copy. `forward` returns the item, a changed copy, or `undefined` to drop
 * it; `drop` then receives it with the items kept so far.
 */
export function forwardList<Item>(
  items: Item[],
  forward: (item: Item) => Item | undefined,
  drop?: (item: Item, kept: Item[]) => void,
): Item[] {
  let kept: Item[] | undefined;
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at] as Item;
    const forwarded = forward(item);
    if (forwarded === item && !kept) continue;
    kept ??= items.slice(0, at);
    if (forwarded !== undefined) kept.push(forwarded);
    else drop?.(item, kept);
  }
  return kept ?? items;
}
