import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/queries.ts';
import type { components } from '../api/schema.ts';

type Scopes = NonNullable<components['schemas']['CreateAdminKey']['scopes']>;
type AreaOf<Scope> = Scope extends `${infer Area}:${string}` ? Area : never;

/** What a session may do; the gateway decides, this only hides what it would refuse. */
export function useCan(): (area: AreaOf<Scopes[number]>, verb: 'read' | 'write') => boolean {
  const { data } = useQuery(sessionQuery);
  const scopes = data?.scopes ?? [];
  return (area, verb) =>
    scopes.includes('all') ||
    scopes.includes(`${area}:write`) ||
    (verb === 'read' && (scopes.includes('read') || scopes.includes(`${area}:read`)));
}

/** Whether a session sees all organizations. */
export function useSeesAll(): boolean {
  const { data } = useQuery(sessionQuery);
  return data?.organization_id === null;
}

/** Whether a session sees only what belongs to one member. */
export function useIsMember(): boolean {
  const { data } = useQuery(sessionQuery);
  return typeof data?.member_id === 'string';
}
