import '@mantine/core/styles.css';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { MantineProvider, createTheme, rem } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/client.ts';
import { SESSION_KEY } from './api/queries.ts';
import { followLinks, takeLink } from './shell/take-link.ts';
import { Root } from './shell/root.tsx';

const RETRIES = 3;
const OFFLINE_MS = 3_000;
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
// Shade 8 has enough contrast on white and under white text.
const theme = createTheme({
  primaryShade: { light: 8, dark: 8 },
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: { sizes: { h1: { fontSize: rem(26), lineHeight: '1.35' } } },
});
const queries = new QueryClient({
  defaultOptions: {
    // A gateway on this machine answers without a network, too.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      retry: (count, error) =>
        count < RETRIES && error instanceof ApiError && (error.status === 0 || error.status >= 500),
      // The page already reports a gateway that does not answer, and tries again.
      refetchInterval: ({ state: { error } }) =>
        error instanceof ApiError && error.status === 0 ? OFFLINE_MS : false,
    },
  },
});

// A session that ended elsewhere leads back to the sign-in.
queries.getQueryCache().subscribe(({ query }) => {
  const error: unknown = query.state.error;
  const [name] = query.queryKey as readonly unknown[];
  if (error instanceof ApiError && error.status === 401 && name !== SESSION_KEY[0])
    void queries.invalidateQueries({ queryKey: SESSION_KEY });
});

const link = takeLink();
followLinks();
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <Root link={link} />
      </QueryClientProvider>
    </MantineProvider>,
  );
}
