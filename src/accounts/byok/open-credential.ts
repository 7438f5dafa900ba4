import type { Sealer } from './sealer.ts';
import type { SealedCredential, Byok } from './byok.ts';
import { GatewayError } from '#errors';

/** The text of a credential. A record that was moved, edited or bound to another address opens for nobody. */
export function openCredential(sealer: Sealer, byok: Byok, credential: SealedCredential): string {
  const { organizationId } = byok;
  const { id, address, sealed } = credential;
  const text = sealer.open(sealed, { organizationId, id, address });
  if (text !== undefined) return text;
  throw new GatewayError(
    'credential_unreadable',
    'the organization’s own key for this provider cannot be opened; it has to be entered again',
    {
      detail:
        `the record ${id} of organization ${organizationId} is not as it was sealed: edited, moved, or restored beside ` +
        'another secret; enter the key again (npx sluice provider-keys set, custom-providers update)',
    },
  );
}
