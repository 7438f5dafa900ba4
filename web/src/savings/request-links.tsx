import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';

const MOST = 5;

/** Some of the requests that show something, by number: their ids are long. */
export function RequestLinks({ ids }: { ids: readonly string[] }) {
  return (
    <Group gap="xs">
      {ids.slice(0, MOST).map((id, index) => (
        <Link
          key={id}
          to="/requests/$id"
          params={{ id }}
          aria-label={`${index + 1}: request ${id}`}
          title={id}
        >
          {index + 1}
        </Link>
      ))}
    </Group>
  );
}
