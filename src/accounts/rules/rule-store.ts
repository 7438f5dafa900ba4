import type { StorePorts } from '../store-ports.ts';
import type { RuleLayer } from './rule.ts';
import { createIdentifier } from '#base';
import { epochMs } from '#storage';
import { awaitRemoval } from '../await-removal.ts';
import { inTransaction } from '../in-transaction.ts';
import { type Page, composeList } from '../page.ts';
import { createInvalid } from '../read-input.ts';
import { readRule } from './read-rule.ts';
import { getRow } from '../get-row.ts';

/** A rule as stored and listed. */
export interface RuleRecord {
  id: string;
  organizationId: string;
  layer: RuleLayer;
  /** The organization, project or key it is on. */
  subjectId: string;
  type: string;
  values: string[];
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
}

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

interface RuleRow {
  id: string;
  organization_id: string;
  layer: RuleLayer;
  subject_id: string;
  type: string;
  items: string[];
  created_at: number;
}

const MOST_RULES = 100;

const COLUMNS = `
  id, organization_id, layer, subject_id, type, items, ${epochMs('created_at')} AS created_at`;

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
  RETURNING ${COLUMNS}`;

const GET_RULE = `SELECT ${COLUMNS} FROM access_rule WHERE id = $1`;

const LIST_RULES = {
  select: `SELECT ${COLUMNS} FROM access_rule a WHERE true`,
  table: 'access_rule a',
  alias: 'a',
};

const COUNT_RULES = 'SELECT count(*)::int AS rules FROM access_rule WHERE subject_id = $1';

export function createRuleStore({
  database,
  onChange,
}: Pick<StorePorts, 'database' | 'onChange'>): RuleStore {
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
      const row = await inTransaction(database, async (client) => {
        await awaitRemoval(client, subjectId);
        return getRow<RuleRow>(client, layer, {
          text: ADD_RULE,
          values: [createIdentifier('rule'), layer, subjectId, type, values],
        });
      });
      onChange(toChange(row));
      return toRecord(row);
    },
    listRules: async ({ organizationId, subjectId, ...page }) => {
      const filters = { 'organization_id =': organizationId, 'subject_id =': subjectId };
      const { rows } = await database.query<RuleRow>(composeList({ ...LIST_RULES, filters }, page));
      return rows.map(toRecord);
    },
    getRule: async (ruleId) => {
      return toRecord(await getRow<RuleRow>(database, 'rule', { text: GET_RULE, values: [ruleId] }));
    },
    removeRule: async (ruleId) => {
      const row = await getRow<RuleRow>(database, 'rule', {
        text: `DELETE FROM access_rule WHERE id = $1 RETURNING ${COLUMNS}`,
        values: [ruleId],
      });
      onChange(toChange(row));
      return toRecord(row);
    },
  };
}

/** The text of the notification that the table's trigger sends. */
function toChange({ layer, subject_id: id }: RuleRow): string {
  return `${layer === 'key' ? 'api_key' : layer}:${id}`;
}

function toRecord(row: RuleRow): RuleRecord {
  const { id, organization_id: organizationId, layer, subject_id: subjectId, type, items: values } = row;
  return { id, organizationId, layer, subjectId, type, values, createdAt: row.created_at };
}
