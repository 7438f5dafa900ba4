import { Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useCan } from './use-can.ts';

/** Whose activity: the filter that requests, usage and sessions have in common. */
export type ActivityFilter = 'key_id' | 'member_id' | 'project_id' | 'organization_id';

const PAGES = [
  { to: '/requests', name: 'Requests' },
  { to: '/', name: 'Usage' },
  { to: '/sessions', name: 'Sessions' },
] as const;

interface ActivityLinksProps {
  filter: ActivityFilter;
  id: string;
  name: string;
}

/** From a key, member, project or organization to its requests, usage and sessions. */
export function ActivityLinks({ filter, id, name }: ActivityLinksProps) {
  const canRead = useCan()('logs', 'read');
  if (!canRead) return null;
  return (
    <Group gap="md" mih={30} role="group" aria-label={`Activity of ${name}`}>
      {PAGES.map(({ to, name: page }) => (
        <Text key={to} span size="sm">
          <Link to={to} search={{ [filter]: id }} aria-label={`${page} of ${name}`}>
            {page}
          </Link>
        </Text>
      ))}
    </Group>
  );
}
