import type { InstallationPorts } from '#accounts';
import type { Stores } from './stores/stores.ts';

/** What operations of resources use besides the directory; `settings` reads the configuration. */
export function composeInstallation(
  { payloads }: Pick<Stores, 'payloads'>,
  settings: Pick<InstallationPorts, 'plans' | 'byokTerms'>,
): InstallationPorts {
  return { ...settings, deletePayloads: (projectId) => payloads.deleteOfProjectAsOperator(projectId) };
}
