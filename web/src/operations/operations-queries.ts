import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.ts';

const REFRESH_MS = 5_000;

export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: () => call('get', '/admin/v1/status'),
  refetchInterval: REFRESH_MS,
});

export const exportsQuery = queryOptions({
  queryKey: ['exports'],
  queryFn: () => call('get', '/admin/v1/exports'),
  refetchInterval: REFRESH_MS,
});

export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: () => call('get', '/admin/v1/alerts'),
  refetchInterval: REFRESH_MS,
});

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: () => call('get', '/admin/v1/settings'),
  refetchInterval: REFRESH_MS,
});
