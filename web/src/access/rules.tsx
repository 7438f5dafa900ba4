import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client.ts';
import type { Records } from '../parts/lists/records.ts';
import { type Organization, type Rule, useRecords, useRefresh } from './access-queries.ts';
import { ChangeForm } from './forms/change-form.tsx';
import { ConfirmAction } from './forms/confirm-action.tsx';
import { type Column, RecordList } from './record-list.tsx';
import { type Layer, explainRule, labelOf, listRuleTypes, ruleFields } from './fields/rule-fields.ts';
import { useSuggestions } from './suggestions.ts';
import { useOpened } from './forms/use-opened.ts';

interface RulesProps {
  layer: Layer;
  /** What the rules are on. */
  subject: { id: string; project_id?: string };
  organization: Organization;
  canWrite: boolean;
}

/** The rules of an organization, a project or a key, and those above that also apply. */
export function Rules({ layer, subject, organization, canWrite }: RulesProps) {
  const { isOpen: isAdding, close, opener } = useOpened();
  const refresh = useRefresh();
  const list = useRulesOn(organization.id, [
    subject.id,
    ...(subject.project_id === undefined ? [] : [subject.project_id]),
    ...(layer === 'organization' ? [] : [organization.id]),
  ]);
  const hasOwn = list.records?.some(({ subject_id: id }) => id === subject.id) ?? false;
  const finish = (): void => {
    close();
    void refresh();
  };
  const add = canWrite && !isAdding && (
    <Button variant="default" size="xs" {...opener}>
      Add a rule
    </Button>
  );
  return (
    <RecordList
      title="Rules"
      what="rules"
      list={list}
      columns={describeRules(subject.id, canWrite && hasOwn)}
      action={add}
      empty={{ title: 'No rule', advice: 'Every model and provider of the gateway can be used.' }}
    >
      {isAdding && <AddRule layer={layer} subject={subject} onDone={finish} onCancel={close} />}
    </RecordList>
  );
}

/** The rules on a subject, and then those on what it is part of: its project and its organization at most. */
function useRulesOn(organizationId: string, [subject, second, third]: readonly string[]): Records<Rule> {
  const filter = (id: string | undefined) => ({ organization_id: organizationId, subject_id: id });
  const own = useRecords('/admin/v1/rules', filter(subject));
  const next = useRecords('/admin/v1/rules', filter(second), second !== undefined);
  const last = useRecords('/admin/v1/rules', filter(third), third !== undefined);
  const lists = [own, ...(second === undefined ? [] : [next]), ...(third === undefined ? [] : [last])];
  const isLoaded = lists.every(({ records }) => records !== undefined);
  return {
    records: isLoaded ? lists.flatMap(({ records }) => records ?? []) : undefined,
    error: lists.find(({ error }) => error !== null)?.error ?? null,
    retry: () => lists.forEach(({ retry }) => retry()),
    more: lists.find(({ more }) => more !== undefined)?.more,
  };
}

interface AddRuleProps extends Pick<RulesProps, 'layer' | 'subject'> {
  onDone(): void;
  onCancel(): void;
}

function AddRule({ layer, subject, onDone, onCancel }: AddRuleProps) {
  const types = listRuleTypes(layer);
  const [type, setType] = useState(types[0]?.value ?? '');
  const fields = ruleFields(type, useSuggestions());
  const takesValues = fields.length > 0;
  return (
    <Stack gap="xs">
      <NativeSelect
        label="Rule"
        autoFocus
        value={type}
        onChange={({ currentTarget }) => setType(currentTarget.value)}
        data={types}
      />
      {!takesValues && <Text size="sm">{explainRule(type, '')}</Text>}
      <ChangeForm
        key={type}
        title={`Add the rule: ${labelOf(type)}`}
        fields={fields}
        path="/admin/v1/rules"
        fixed={{ layer, subject_id: subject.id, type, ...(!takesValues && { values: [] }) }}
        verb="Add"
        onDone={onDone}
        onCancel={onCancel}
      />
    </Stack>
  );
}

const describeRules = (subjectId: string, canRemove: boolean): Column<Rule>[] => [
  { name: 'Rule', cell: ({ type }) => labelOf(type) },
  { name: 'Values', cell: ({ values }) => (values.length === 0 ? '–' : values.join(', ')) },
  {
    name: 'Set on',
    isWide: true,
    cell: ({ layer, subject_id: id }) => (id === subjectId ? `this ${layer}` : `the ${layer}`),
  },
  ...(canRemove
    ? [
        {
          name: 'Actions',
          cell: (rule: Rule) => (rule.subject_id === subjectId ? <RemoveRule rule={rule} /> : null),
        },
      ]
    : []),
];

function RemoveRule({ rule: { id, type, values } }: { rule: Rule }) {
  const named = values.join(', ');
  return (
    <ConfirmAction
      name="Remove"
      about={`${labelOf(type)} ${named}`.trim()}
      explains={`This no longer applies: ${explainRule(type, named)}`}
      run={() => call('delete', '/admin/v1/rules/{id}', { id })}
    />
  );
}
