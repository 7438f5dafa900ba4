import { Button, Container, Group, Paper, Stack, Text, Title } from '@mantine/core';

interface LinkQuestionProps {
  onUse(): void;
  onStay(): void;
}

/** Before a link ends the session of a browser: anyone who may create links could lure people into a session of theirs. */
export function LinkQuestion({ onUse, onStay }: LinkQuestionProps) {
  return (
    <Container component="main" size="xs" py="xl">
      <Paper withBorder p="lg">
        <Stack>
          <Title>You are signed in already</Title>
          <Text>
            This link ends your session and begins another, with the rights and in the organization that its
            creator chose. Use it only if it is yours or you asked for it: what you enter afterwards, such as
            keys of providers, is theirs to use.
          </Text>
          <Group>
            <Button onClick={onStay}>Stay signed in</Button>
            <Button variant="default" onClick={onUse}>
              Use the link
            </Button>
          </Group>
        </Stack>
      </Paper>
    </Container>
  );
}
