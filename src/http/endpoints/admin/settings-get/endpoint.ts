import { Type } from 'typebox';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { orNull } from '../../../admin/fields.ts';
import { requireAll } from '../../../admin/of-all.ts';

const text = Type.String();

export const getSettingsEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/settings',
  summary: 'The settings in force, and where each comes from, without secrets.',
  scope: 'operations:read',
  answer: {
    description: 'Every setting.',
    schema: Type.Object({
      object: Type.Literal('settings'),
      file: orNull(text, 'The configuration file; null without one.'),
      data: Type.Array(
        Type.Object({
          name: text,
          value: text,
          source: Type.String({ description: 'A flag, a variable, the file, or `default`.' }),
          next: orNull(text, 'What an edit changed it to, if that takes effect at the next start.'),
        }),
      ),
    }),
  },
  needs: ['operations'],
  handle: ({ caller }, { operations }) => {
    requireAll(caller, 'the settings are those of the gateway');
    const { file, lines } = operations.settings();
    const data = lines.map(({ name, value, source, next }) => ({ name, value, source, next: next ?? null }));
    return Promise.resolve({ object: 'settings', file: file ?? null, data });
  },
});
