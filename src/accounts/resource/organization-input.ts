import { filter, required } from '#fields';
import { idOf } from './types.ts';

/** The organization that owns a record; on the command line, the first by default. */
export const ofOrganization = required(idOf('organization', 'its organization'), {
  flags: '--org <id>',
  help: 'the organization (default: the first)',
  defaultsTo: 'organization',
});

/** A filter by organization. */
export const inOrganization = (description: string) =>
  filter(idOf('organization', ''), description, '--org <id>');
