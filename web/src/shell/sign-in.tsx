import { Alert, Button, Code, Container, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { capitalize } from '../parts/format.ts';
import { onSubmit } from '../parts/on-submit.ts';
import type { Credential } from './root.tsx';

interface SignInProps {
  onCredential(credential: Credential): void;
  isBusy: boolean;
  error: Error | null;
  /** Where people sign in by OpenID Connect, if they can. */
  provider: { name: string; url: string } | null;
}

export function SignIn({ onCredential, isBusy, error, provider }: SignInProps) {
  const [key, setKey] = useState('');
  const submit = onSubmit(() => onCredential({ admin_key: key.trim() }));
  return (
    <Container component="main" size="xs" py="xl">
      <Paper withBorder p="lg">
        <form onSubmit={submit}>
          <Stack>
            <Title>Sign in to Sluice</Title>
            {error && (
              <Alert role="alert" color="red" variant="outline" title="You are not signed in">
                {capitalize(error.message)}
              </Alert>
            )}
            {provider && (
              <Button component="a" href={provider.url}>
                Sign in with {provider.name}
              </Button>
            )}
            <Text>
              {provider ? 'Or on' : 'On'} the machine of the gateway, run <Code>npx sluice dashboard</Code>:
              it opens a link that signs you in.
            </Text>
            <PasswordInput
              label="Or an admin key"
              description="It begins with slcadm_ and is shown once, when it is created."
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              autoComplete="off"
              required
              withAsterisk={false}
            />
            <Button type="submit" loading={isBusy} {...(provider && { variant: 'default' })}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Container>
  );
}
