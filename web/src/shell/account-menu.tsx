import { Box, Button, Popover, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, call } from '../api/client.ts';
import { SESSION_KEY } from '../api/queries.ts';
import { Moment } from '../parts/values.tsx';

type Session = AnswerOf<'/admin/v1/session', 'get'>;

/** Who is signed in and with which role, and the way out. */
export function AccountMenu({ session }: { session: Session }) {
  const { person, role, expires_at: end } = session;
  return (
    <Popover position="bottom-end" withArrow trapFocus>
      <Popover.Target>
        <Button variant="default">
          Account
          {role !== null && (
            <Box component="span" visibleFrom="sm">
              : {role}
            </Box>
          )}
        </Button>
      </Popover.Target>
      <Popover.Dropdown maw="20rem">
        <Stack gap="xs">
          <Text fw={600}>{person ?? 'Signed in with a link or an admin key'}</Text>
          <Text size="sm">{describeReach(session)}</Text>
          {end !== null && (
            <Text size="sm">
              This session ends at the latest <Moment iso={end} />.
            </Text>
          )}
          <SignOut />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

const ROLES: Readonly<Record<NonNullable<Session['role']>, string>> = {
  operator: 'Operator: sees and changes everything.',
  admin: 'Administrator: sees and changes one organization.',
  viewer: 'Viewer: sees one organization and changes nothing.',
  member: 'Member: sees its own keys and requests.',
};

function describeReach({ role, scopes, organization_id: organizationId }: Session): string {
  if (role !== null) return ROLES[role];
  const where = organizationId === null ? 'all organizations' : organizationId;
  return `Scopes: ${scopes.join(', ')}, in ${where}.`;
}

/** Signs out here, and at the OpenID provider if there is one. */
function SignOut() {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => call('delete', '/admin/v1/session'),
    onSettled: (answer) => {
      client.clear();
      void client.invalidateQueries({ queryKey: SESSION_KEY });
      if (answer?.sign_out_url) location.assign(answer.sign_out_url);
      else location.reload();
    },
  });
  return (
    <Button variant="default" onClick={() => mutate()} loading={isPending}>
      Sign out
    </Button>
  );
}
