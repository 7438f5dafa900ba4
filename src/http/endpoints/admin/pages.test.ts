import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '#base';
import { createSubjects, sendAdmin } from '../../../../test/support/admin-calls.ts';
import { type InProcessGateway, openInProcess } from '../../../../test/support/in-process.ts';
import { RESOURCE_ROUTES, createSample } from '../../../../test/support/resource-samples.ts';

let gateway: InProcessGateway;
let admin: string;
before(async () => {
  gateway = await openInProcess();
  ({ secret: admin } = await gateway.accounts.directory.createAdminKey({ label: 'test' }));
});
after(() => gateway[Symbol.asyncDispose]());

interface List {
  data: JsonObject[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

async function read(path: string): Promise<List> {
  const call = { method: 'GET', path };
  const response = await sendAdmin(gateway, call, { authorization: `Bearer ${admin}` });
  const list: unknown = await response.json();
  assert.equal(response.status, 200, JSON.stringify(list));
  return list as List;
}

test('every list is read in pages by the last id, and reports whether more follow', async () => {
  const [subjects] = [await createSubjects(gateway), await createSubjects(gateway)];
  for (const { resource, name, operation } of RESOURCE_ROUTES)
    if (name === 'list' && operation.requires !== undefined)
      await createSample(gateway, resource, { ids: subjects, isNew: true });
  const lists = RESOURCE_ROUTES.filter(({ name }) => name === 'list').map(({ path, operation }) =>
    operation.requires === undefined ? `${path}?` : `${path}?organization_id=${subjects.organizationId}&`,
  );
  for (const list of [...lists, '/admin/v1/logs?']) {
    const path = list.slice('/admin/v1'.length);
    const whole = await read(`${path}limit=100`);
    assert.ok(whole.data.length >= 2, `${list} has several pages`);
    assert.equal(whole.has_more, false);
    const seen: JsonObject[] = [];
    let page: List | undefined;
    do {
      page = await read(`${path}limit=1${page ? `&after=${page.last_id}` : ''}`);
      assert.deepEqual([page.first_id, page.last_id], [page.data[0]?.['id'], page.data.at(-1)?.['id']]);
      seen.push(...page.data);
    } while (page.has_more);
    assert.deepEqual(seen, whole.data, list);
  }
});
