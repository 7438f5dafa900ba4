import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CanonicalRequest, ClientFormatId, FormatId } from '#canonical';
import type { Catalogue, Mapping } from '#catalogue';
import type { LiveSettings } from '../request/ports.ts';
import { getCatalogueOf } from './mapped-models.ts';
import { sharesFields } from './shared-fields.ts';

test('a mapping is looked up where its provider is: among the organization’s own, or in the catalogue', () => {
  const provide = (...ids: string[]) =>
    ({ providers: new Map(ids.map((id) => [id, {}])) }) as unknown as Catalogue;
  const [catalogue, own] = [provide('one', 'both'), provide('mine', 'both')];
  const find = (settings: Partial<LiveSettings>, providerId: string): Catalogue =>
    getCatalogueOf(settings as LiveSettings, { providerId } as Mapping);
  assert.equal(find({ catalogue, own }, 'one'), catalogue);
  assert.equal(find({ catalogue, own }, 'mine'), own);
  assert.equal(find({ catalogue, own }, 'both'), own);
  assert.equal(find({ catalogue }, 'one'), catalogue);
});

test('fields of a format reach mappings of that format; those of Chat and Responses reach each other', () => {
  const reach = (from: ClientFormatId): FormatId[] => {
    const formats: FormatId[] = ['chat', 'messages', 'responses', 'gemini', 'converse'];
    const request = { origin: { format: from, body: {} } } satisfies Pick<CanonicalRequest, 'origin'>;
    return formats.filter((format) => sharesFields({ format } as Mapping, request));
  };
  assert.deepEqual(reach('chat'), ['chat', 'responses']);
  assert.deepEqual(reach('responses'), ['chat', 'responses']);
  assert.deepEqual(reach('messages'), ['messages']);
  assert.deepEqual(reach('gemini'), ['gemini']);
});
