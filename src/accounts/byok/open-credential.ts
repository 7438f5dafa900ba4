import type { Sealer } from './sealer.ts';
import type { SealedCredential, Byok } from './byok.ts';
import { GatewayError } from '#errors';

/** Decrypts a credential. A record that was moved, edited or bound to another address does not decrypt. */
export function openCredential(sealer: Sealer, byok: Byok, credential: SealedCredential): string {
  const { organizationId } = byok;
  const { id, address, sealed } = credential;
  const text = sealer.open(sealed, { organizationId, id, address });
  if (text !== undefined) return text;
  throw new GatewayError(
    'credential_unreadable',
    'the organization’s own key for this provider cannot be decrypted; enter it again',
    {
      detail:
        `the record ${id} of organization ${organizationId} cannot be decrypted: it was edited, moved, or restored beside ` +
        'another secret; enter the key again (npx sluice provider-keys set, custom-providers update)',
    },
  );
}
