import { Button } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { type ReactNode, useEffect } from 'react';

interface ShowMoreProps {
  isLoading: boolean;
  load(): void;
  children: ReactNode;
}

/** Loads the next page of a list as it comes in sight; a button, because a keyboard does not scroll. */
export function ShowMore({ isLoading, load, children }: ShowMoreProps) {
  const { ref, entry } = useIntersection();
  const isSeen = entry?.isIntersecting === true;
  useEffect(() => {
    if (isSeen && !isLoading) load();
    // Loads once for each time that it comes in sight, and again if it still is after a page.
  }, [isSeen, isLoading]);
  return (
    <Button ref={ref} variant="default" mt="sm" loading={isLoading} onClick={load}>
      {children}
    </Button>
  );
}
