import { GatewayError } from '#errors';
import type { Queryable } from '#storage';
import { type AdminCaller } from '../admin-key.ts';
import type { RecallDigest } from '../secrets/key-digest.ts';
import type { KeySnapshot, SnapshotSource } from '../keys/key-snapshot.ts';
import { IS_DISABLED } from '../admin-keys/admin-key-store.ts';
import { findKeyKind, isWellFormedKey } from '../keys/key-text.ts';

/** The facts found by an admin key's digest. */
interface AdminFacts {
  caller: AdminCaller;
  enabled: boolean;
}

interface FactsRow {
  digest: string;
  id: string;
  scopes: string[];
  organization_id: string | null;
  member_id: string | null;
  enabled: boolean;
}

const READ = `
  SELECT encode(a.digest, 'hex') AS digest, a.id, a.scopes, a.organization_id, a.member_id,
    NOT ${IS_DISABLED} AS enabled
  FROM unnest($1::text[]) AS wanted (digest) JOIN admin_key a ON a.digest = decode(wanted.digest, 'hex')`;

/** The admin keys of a database. */
export function createAdminKeySource(database: Queryable): SnapshotSource<AdminFacts> {
  return {
    read: async (digests) => {
      const { rows } = await database.query<FactsRow>({
        name: 'accounts_read_admin_keys',
        text: READ,
        values: [[...digests]],
      });
      const found = new Map(rows.map((row) => [row.digest, toFacts(row)]));
      return digests.map((digest) => found.get(digest));
    },
    idIn: ({ caller }, table) => {
      if (table === 'admin_key') return caller.adminKeyId;
      return table === 'member' ? caller.heldBy : undefined;
    },
  };
}

function toFacts({ id, scopes, enabled, ...row }: FactsRow): AdminFacts {
  const { organization_id: organizationId, member_id: heldBy } = row;
  const caller = {
    actorId: id,
    adminKeyId: id,
    scopes,
    ...(organizationId !== null && { organizationId }),
    ...(heldBy !== null && { heldBy }),
  };
  return { caller, enabled };
}

/** Finds the admin key of a credential; throws if it is invalid or of another kind. */
export async function identifyAdmin(
  { snapshot, recallDigest }: { snapshot: KeySnapshot<AdminFacts>; recallDigest: RecallDigest },
  credential: string,
): Promise<AdminCaller> {
  const kind = findKeyKind(credential);
  if (kind === 'regular' || kind === 'session')
    throw new GatewayError('wrong_credential', 'this endpoint accepts only admin keys (slcadm_…)');
  if (kind === undefined || !isWellFormedKey('admin', credential)) {
    throw new GatewayError(
      'invalid_credential',
      'this is not an admin key of this gateway; admin keys start with "slcadm_"',
    );
  }
  const facts = await snapshot.find(recallDigest(credential));
  if (facts === undefined) throw new GatewayError('invalid_credential', 'the admin key is unknown');
  if (!facts.enabled) throw new GatewayError('invalid_credential', 'the admin key is disabled');
  return facts.caller;
}
