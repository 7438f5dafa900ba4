import { getRouteApi } from '@tanstack/react-router';
import { useCan, useIsMember } from '../parts/use-can.ts';
import type { Organization } from './access-queries.ts';
import { withoutOpen } from './access-search.ts';

/** What a part of the page shows, and what the session may do there. */
export interface Scope {
  organization: Organization;
  canWrite: boolean;
  canPay: boolean;
  canManageAdmins: boolean;
}

export function useRights(): Omit<Scope, 'organization'> & { isMember: boolean } {
  const can = useCan();
  const isMember = useIsMember();
  return {
    isMember,
    canWrite: !isMember && can('accounts', 'write'),
    canPay: !isMember && can('money', 'write'),
    canManageAdmins: !isMember && can('admin_keys', 'write'),
  };
}

const route = getRouteApi('/access');
export const useAccessSearch = () => route.useSearch();
export const useAccessNavigate = () => route.useNavigate();

/** Leads from a record back to its list. */
export function useClose(): () => Promise<void> {
  const navigate = useAccessNavigate();
  return () => navigate({ search: withoutOpen });
}
