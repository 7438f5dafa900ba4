import { createInvalid } from '#errors';
import type { StorePorts } from '../store-ports.ts';
import type { RuleLayer } from './rule.ts';
import { createIdentifier } from '#base';
import { type RecordOf, column, defineRecord, moment } from '#storage';
import { awaitRemoval } from '../await-removal.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Page } from '../page.ts';
import { createRecords } from '../records.ts';
import { createNotFound } from '../read-input.ts';
import { readRule } from './read-rule.ts';

/** Access rules as the operator changes them. Changes take effect in every process within a second. */
export interface RuleStore {
  addRule(input: {
    layer: RuleLayer;
    subjectId: string;
    type: string;
    values: readonly string[];
  }): Promise<RuleRecord>;
  /** Those of one organization, or on one subject, or all. */
  listRules(filter: { organizationId?: string; subjectId?: string } & Page): Promise<RuleRecord[]>;
  getRule(ruleId: string): Promise<RuleRecord>;
  removeRule(ruleId: string): Promise<RuleRecord>;
}

const MOST_RULES = 100;

const RULE = defineRecord({
  id: column<string>('id'),
  organizationId: column<string>('organization_id'),
  layer: column<RuleLayer>('layer'),
  /** The organization, project or key it is on. */
  subjectId: column<string>('subject_id'),
  type: column<string>('type'),
  values: column<string[]>('items'),
  createdAt: moment('created_at'),
});

/** A rule as stored and listed. */
export type RuleRecord = RecordOf<typeof RULE>;

/** The organization is taken from the account tree, never from the caller. */
const ADD_RULE = `
  INSERT INTO access_rule (id, organization_id, layer, subject_id, type, items)
  SELECT $1, s.organization_id, s.layer, s.id, $4, $5 FROM (
    SELECT 'organization' AS layer, o.id, o.id AS organization_id FROM organization o WHERE o.removed_at IS NULL
    UNION ALL
    SELECT 'project', p.id, p.organization_id FROM project p WHERE p.removed_at IS NULL
    UNION ALL
    SELECT 'key', k.id, p.organization_id FROM api_key k JOIN project p ON p.id = k.project_id WHERE k.deleted_at IS NULL
  ) AS s
  WHERE s.layer = $2 AND s.id = $3
  RETURNING ${RULE.columns}`;

const RULES = { what: 'rule', type: RULE, table: 'access_rule a', alias: 'a' };

const COUNT_RULES = 'SELECT count(*)::int AS rules FROM access_rule WHERE subject_id = $1';

export function createRuleStore({
  database,
  onChange,
}: Pick<StorePorts, 'database' | 'onChange'>): RuleStore {
  const rules = createRecords(database, RULES);
  return {
    addRule: async (input) => {
      const values = readRule(input);
      const { layer, subjectId, type } = input;
      const { rows: counts } = await database.query<{ rules: number }>({
        text: COUNT_RULES,
        values: [subjectId],
      });
      if (counts.some(({ rules }) => rules >= MOST_RULES))
        throw createInvalid('rules', `at most ${MOST_RULES} on one ${layer}; one rule takes many values`);
      const rule = await inTransaction(database, async (client) => {
        await awaitRemoval(client, subjectId);
        return createRecords(client, RULES).change(
          { text: ADD_RULE, values: [createIdentifier('rule'), layer, subjectId, type, values] },
          () => createNotFound(layer),
        );
      });
      onChange(toChange(rule));
      return rule;
    },
    listRules: ({ organizationId, subjectId, ...page }) =>
      rules.list({ 'organization_id =': organizationId, 'subject_id =': subjectId }, page),
    getRule: (ruleId) => rules.get(ruleId),
    removeRule: async (ruleId) => {
      const rule = await rules.change({
        text: `DELETE FROM access_rule WHERE id = $1 RETURNING ${RULE.columns}`,
        values: [ruleId],
      });
      onChange(toChange(rule));
      return rule;
    },
  };
}

/** The text of the notification that the table's trigger sends. */
function toChange({ layer, subjectId: id }: RuleRecord): string {
  return `${layer === 'key' ? 'api_key' : layer}:${id}`;
}
