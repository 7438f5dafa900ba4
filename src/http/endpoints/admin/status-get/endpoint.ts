import { Type } from 'typebox';
import { type JsonObject, encodeMembers, encodeTime } from '#base';
import type { CheckResult } from '../../../health-probe.ts';
import type { FeedStatus, GatewayStatus } from '../../../operations.ts';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { orNull, timeShape } from '../../../admin/fields.ts';
import { requireAll } from '../../../admin/of-all.ts';

const check = { connected: Type.Boolean(), error: orNull(Type.String()) };
const count = Type.Integer();

const feedShape = Type.Object({
  sequence: orNull(Type.String()),
  published_at: orNull(timeShape),
  checked_at: orNull(timeShape, 'When it was last fetched or brought, with success or without.'),
  fault: orNull(
    Type.Object({ kind: Type.String(), message: Type.String(), since: timeShape }),
    'Why the last one was refused.',
  ),
  held: orNull(
    Type.Object({ sequence: Type.String(), reason: Type.String() }),
    'A newer one that waits for the operator.',
  ),
  announcements: Type.Array(
    Type.Object({ from: timeShape, priced: Type.Array(Type.String()), removed: Type.Array(Type.String()) }),
    { description: 'Prices and removals that do not count yet.' },
  ),
});

export const getStatusEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/status',
  summary: 'The state of this gateway and its stores, and which other gateways run on the same database.',
  scope: 'operations:read',
  answer: {
    description: 'The state now.',
    schema: Type.Object({
      object: Type.Literal('status'),
      version: Type.String(),
      started_at: timeShape,
      open_requests: Type.Integer({
        description: 'Those whose response has not ended, apart from this one.',
      }),
      database: Type.Object({
        ...check,
        embedded: Type.Boolean(),
        version: orNull(Type.String()),
        bytes: orNull(Type.Number()),
        connections: Type.Object({ open: count, idle: count, waiting: count }),
      }),
      redis: Type.Object({
        ...check,
        configured: Type.Boolean({ description: 'Otherwise this process keeps what Redis would.' }),
      }),
      ledger: Type.Object({
        connected: Type.Boolean({ description: 'Whether it would admit paid requests.' }),
        error: check.error,
        unwritten: Type.Integer({ description: 'Settlements that wait for the database.' }),
        journal_bytes: Type.Integer({ description: 'What is in the journal and not in the database.' }),
      }),
      feed: orNull(feedShape, 'The catalogue feed; null if none is configured.'),
      replicas: orNull(
        Type.Array(
          Type.Object(
            { id: Type.String(), note: Type.String(), seen_ms: Type.Number() },
            {
              description: 'A gateway process, this one included.',
            },
          ),
        ),
        'Those that reported within 15 seconds; null while the database does not answer.',
      ),
    }),
  },
  needs: ['operations', 'version'],
  handle: async ({ caller }, { operations, version }) => {
    requireAll(caller, 'this is the state of the gateway');
    return encodeStatus(await operations.status(), version);
  },
});

const encodeCheck = (check: CheckResult): JsonObject => encodeMembers(check, ['connected', 'error']);

function encodeFeed(feed: FeedStatus): JsonObject {
  const { fault } = feed;
  return {
    sequence: feed.sequence ?? null,
    published_at: encodeTime(feed.publishedAt),
    checked_at: encodeTime(feed.checkedAt),
    fault: fault ? { ...fault, since: encodeTime(fault.since) } : null,
    held: feed.held ?? null,
    announcements: feed.announcements.map(({ from, priced, removed }) => ({
      from: encodeTime(from),
      priced: [...priced],
      removed: [...removed],
    })),
  };
}

function encodeStatus(status: GatewayStatus, version: string): JsonObject {
  const { startedAt, openRequests, database, redis, ledger, feed, replicas } = status;
  return {
    object: 'status',
    version,
    started_at: encodeTime(startedAt),
    open_requests: openRequests - 1,
    database: {
      ...encodeCheck(database),
      embedded: database.isEmbedded,
      ...encodeMembers(database, ['version', 'bytes', 'connections']),
    },
    redis: { ...encodeCheck(redis), configured: redis.isConfigured },
    ledger: { ...encodeCheck(ledger), unwritten: ledger.unwritten, journal_bytes: ledger.journalBytes },
    feed: feed ? encodeFeed(feed) : null,
    replicas: replicas?.map((one) => encodeMembers(one, ['id', 'note', 'seenMs'])) ?? null,
  };
}
