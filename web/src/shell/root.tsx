import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError, call } from '../api/client.ts';
import { SESSION_KEY, sessionQuery } from '../api/queries.ts';
import { Failure, Loading } from '../parts/state.tsx';
import { LinkQuestion } from './link-question.tsx';
import { router } from './router.tsx';
import { SignIn } from './sign-in.tsx';

/** While the gateway’s database is too busy. */
const RETRIES = 3;

export type Credential = { link: string } | { admin_key: string };

/** The dashboard for a browser that is signed in, else the way in. */
export function Root({ link: given }: { link: string | undefined }) {
  const [link, setLink] = useState(given);
  const client = useQueryClient();
  const session = useQuery(sessionQuery);
  const signIn = useMutation({
    mutationFn: (body: Credential) => call('post', '/admin/v1/session', { body }),
    retry: (count, error) => count < RETRIES && error instanceof ApiError && error.status === 503,
    onSuccess: (rights) => {
      client.clear();
      client.setQueryData(SESSION_KEY, rights);
    },
  });
  const { mutate, isIdle } = signIn;
  const isSignedOut = session.data?.id === null;
  useEffect(() => {
    if (link !== undefined && isIdle && isSignedOut) mutate({ link });
  }, [link, isIdle, isSignedOut, mutate]);
  if (session.isPending || (link !== undefined && (signIn.isPending || (isIdle && isSignedOut))))
    return <Loading what="the dashboard" />;
  // While a session cannot be read again, what is open stays.
  if (!session.data) return <Failure error={session.error} retry={() => void session.refetch()} />;
  if (link !== undefined && isIdle)
    return <LinkQuestion onUse={() => mutate({ link })} onStay={() => setLink(undefined)} />;
  if (session.data.id !== null) return <RouterProvider router={router} />;
  const { sign_in: provider } = session.data;
  return <SignIn onCredential={mutate} isBusy={signIn.isPending} error={signIn.error} provider={provider} />;
}
