import type { AccessRule } from '#accounts';
import type { Catalogue } from '#catalogue';
import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { CREDENTIAL_HEADERS, isAllowed } from '#accounts';
import { modelEntrySchema, renderModels } from '#catalogue';
import { type Call, type HttpPorts, defineEndpoint } from '../../../endpoint.ts';
import { sendJson } from '../../../send-json.ts';

const FLAGS = [
  'include_restricted',
  'include_deactivated',
  'exclude_deprecated',
  'no_training',
  'mapped',
] as const;

type ModelPorts = Pick<HttpPorts, 'clock' | 'ownModels' | 'isAvailable'>;

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
    include_restricted: '`true`: the public catalogue instead of the models the key may use.',
    include_deactivated: '`true`: deactivated models too.',
    exclude_deprecated: '`true`: without deprecated models.',
    no_training: '`true`: only providers that do not train on API data.',
    mapped: '`true`: one entry per provider mapping, with ids provider/model.',
    available:
      '`true`: only models and mappings of providers that have a credential here, with a key also its organization’s own.',
  },
  responses: {
    200: { description: 'The models.', schema: Type.Object({ data: Type.Array(modelEntrySchema) }) },
    304: { description: 'The catalogue has not changed since the given ETag.' },
  },
  refusals: [401, 403, 500, 503],
  needs: ['catalogue', 'clock', 'ownModels', 'isAvailable'],
  handle: async (call, ports) => {
    const view = readView(call, ports);
    const { flags, now, rules, own, isAvailable } = view;
    const catalogue = ports.catalogue();
    if (rules || own || isAvailable) {
      sendJson(call.reply, render(own ? [catalogue, own] : [catalogue], view));
      return;
    }
    const listing = getListing(catalogue, { flags, now });
    if (call.caller) {
      sendJson(call.reply, listing.body);
      return;
    }
    const headers = {
      'cache-control': 'public, max-age=60',
      etag: listing.etag,
      vary: [...CREDENTIAL_HEADERS, 'origin'].join(', '),
    };
    if (isKnown(call.headers['if-none-match'], listing.etag)) call.reply.send(304, headers, '');
    else sendJson(call.reply, listing.body, headers);
  },
});

function readView({ query, caller }: Call, ports: ModelPorts): View {
  const flags = FLAGS.filter((flag) => query.get(flag) === 'true');
  const subject = flags.includes('include_restricted') ? undefined : caller;
  const own = subject && ports.ownModels(subject);
  return {
    flags,
    now: ports.clock.now(),
    ...(subject?.rules && { rules: subject.rules }),
    ...(own && { own }),
    ...(query.get('available') === 'true' && {
      isAvailable: (providerId: string) => ports.isAvailable(providerId, caller),
    }),
  };
}

/** Whether a caller's `if-none-match` matches the tag: a list, weak tags from proxies, or `*`. */
function isKnown(known: string | string[] | undefined, etag: string): boolean {
  if (typeof known !== 'string') return false;
  const tags = known.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

interface View {
  flags: readonly string[];
  /** The caller's rules and own models, unless it requested the public catalogue. */
  rules?: readonly AccessRule[];
  own?: Catalogue;
  /** If only models are listed that can be called: whether a provider can be. */
  isAvailable?(providerId: string): boolean;
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

function render(catalogues: readonly Catalogue[], { flags, rules, isAvailable, now }: View): string {
  return renderModels(catalogues, {
    includeDeactivated: flags.includes('include_deactivated'),
    excludeDeprecated: flags.includes('exclude_deprecated'),
    noTraining: flags.includes('no_training'),
    mapped: flags.includes('mapped'),
    now,
    allows: (mapping, catalogue) =>
      (!rules || isAllowed(rules, mapping, catalogue)) && (isAvailable?.(mapping.providerId) ?? true),
  });
}
