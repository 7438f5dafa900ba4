import { queryOptions } from '@tanstack/react-query';
import type { paths } from '../api/schema.ts';
import { call } from '../api/client.ts';

const REFRESH_MS = 5_000;

const refreshed = <Path extends keyof paths>(name: string, path: Path) =>
  queryOptions({ queryKey: [name], queryFn: () => call('get', path), refetchInterval: REFRESH_MS });

export const statusQuery = refreshed('status', '/admin/v1/status');
export const exportsQuery = refreshed('exports', '/admin/v1/exports');
export const alertsQuery = refreshed('alerts', '/admin/v1/alerts');
export const settingsQuery = refreshed('settings', '/admin/v1/settings');
