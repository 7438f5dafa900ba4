import { Alert, Code, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { GATEWAY } from '../api/client.ts';
import { describeEnd } from '../parts/endings.ts';
import type { LogLine } from '../api/log-line.ts';

/** Before the first request, how to send it; it turns green as the request ends, and is gone at the next visit. */
export function FirstRequest({ latest }: { latest: readonly LogLine[] }) {
  const wasEmpty = useRef(latest.length === 0);
  const [first] = latest.slice(-1);
  if (!wasEmpty.current) return null;
  if (first) {
    return (
      <Alert role="status" color="green" variant="outline" title="The first request has arrived">
        {first.requested_model}: {describeEnd(first)}.{' '}
        <Link to="/requests/$id" params={{ id: first.id }}>
          See what it cost and why
        </Link>
      </Alert>
    );
  }
  return (
    <Alert role="status" color="blue" variant="outline" title="No requests yet">
      <Stack gap="xs">
        <Text>Point an agent here with these two lines; this turns green when its first request ends.</Text>
        <Code
          block
        >{`export ANTHROPIC_BASE_URL=${GATEWAY} ANTHROPIC_AUTH_TOKEN=<an API key of this gateway>\nclaude`}</Code>
        <Text>
          <Link to="/access">Create an API key</Link>, or run <Code>npx sluice claude --run</Code> on this
          machine. Where no provider has Claude’s models, add <Code>ANTHROPIC_MODEL=</Code> with{' '}
          <Link to="/models">one that is served</Link>.
        </Text>
      </Stack>
    </Alert>
  );
}
