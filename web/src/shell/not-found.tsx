import { Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** Of an address that was shortened or mistyped. */
export function NotFound() {
  return (
    <Stack>
      <Title>Page not found</Title>
      <Text>No page has this address. Check it, choose a page above, or press Ctrl+K to search.</Text>
      <Link to="/">Back to Now</Link>
    </Stack>
  );
}
