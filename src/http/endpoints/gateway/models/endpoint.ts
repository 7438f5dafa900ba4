import type { AccessRule } from '#accounts';
import type { Catalogue } from '#catalogue';
import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { isAllowed } from '#accounts';
import { modelEntrySchema, renderModels } from '#catalogue';
import { defineEndpoint } from '../../../endpoint.ts';
import { sendJson } from '../../../send-json.ts';

const FLAGS = [
  'include_restricted',
  'include_deactivated',
  'exclude_deprecated',
  'no_training',
  'mapped',
] as const;

interface Listing {
  body: string;
  etag: string;
}

/** Public listings by catalogue and flags: a catalogue never changes, a new one replaces it. */
const listings = new WeakMap<Catalogue, Map<string, Listing>>();
const FRESH_MS = 60_000;
const MOST_LISTINGS = 16;

export const modelsEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/models',
  aliases: ['/models', '/v1/v1/models'],
  summary: 'The model catalogue.',
  auth: 'optional',
  format: 'chat',
  query: {
    include_restricted: '`true`: the public catalogue instead of what the key may use.',
    include_deactivated: '`true`: deactivated models too.',
    exclude_deprecated: '`true`: without deprecated models.',
    no_training: '`true`: only providers that do not train on API data.',
    mapped: '`true`: one entry per provider mapping, with ids provider/model.',
  },
  responses: {
    200: { description: 'The models.', schema: Type.Object({ data: Type.Array(modelEntrySchema) }) },
    304: { description: 'The catalogue has not changed since the given ETag.' },
  },
  refusals: [401, 403, 500, 503],
  needs: ['catalogue', 'clock', 'ownModels'],
  handle: async (call, { catalogue, clock, ownModels }) => {
    const flags = FLAGS.filter((flag) => call.query.get(flag) === 'true');
    const now = clock.now();
    if (call.caller) {
      const isPublic = flags.includes('include_restricted');
      const rules = isPublic ? undefined : call.caller.rules;
      const own = isPublic ? undefined : ownModels(call.caller);
      const body =
        rules || own
          ? render(own ? [catalogue(), own] : [catalogue()], { flags, now, ...(rules && { rules }) })
          : getListing(catalogue(), { flags, now }).body;
      sendJson(call.reply, body, { 'cache-control': 'private, no-store' });
      return;
    }
    const listing = getListing(catalogue(), { flags, now });
    const headers = {
      'cache-control': 'public, max-age=60',
      etag: listing.etag,
      vary: 'authorization, x-api-key, x-goog-api-key',
    };
    if (isKnown(call.headers['if-none-match'], listing.etag)) call.reply.send(304, headers, '');
    else sendJson(call.reply, listing.body, headers);
  },
});

/** Whether a caller's `if-none-match` matches the tag: a list, weak tags from proxies, or `*`. */
function isKnown(known: string | string[] | undefined, etag: string): boolean {
  if (typeof known !== 'string') return false;
  const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

interface View {
  flags: readonly string[];
  /** The caller's rules, unless it requested the public catalogue. */
  rules?: readonly AccessRule[];
  /** Milliseconds since the Unix epoch. */
  now: number;
}

function getListing(catalogue: Catalogue, view: View): Listing {
  const known = listings.get(catalogue) ?? new Map<string, Listing>();
  listings.set(catalogue, known);
  const minute = Math.floor(view.now / FRESH_MS); // models are deactivated as time passes
  const name = `${minute} ${view.flags.filter((flag) => flag !== 'include_restricted').join(' ')}`;
  const found = known.get(name);
  if (found) return found;
  if (known.size >= MOST_LISTINGS) known.clear();
  const body = render([catalogue], view);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const listing = { body, etag };
  known.set(name, listing);
  return listing;
}

function render(catalogues: readonly Catalogue[], { flags, rules, now }: View): string {
  return renderModels(catalogues, {
    includeDeactivated: flags.includes('include_deactivated'),
    excludeDeprecated: flags.includes('exclude_deprecated'),
    noTraining: flags.includes('no_training'),
    mapped: flags.includes('mapped'),
    now,
    ...(rules && { allows: (mapping, catalogue) => isAllowed(rules, mapping, catalogue) }),
  });
}
