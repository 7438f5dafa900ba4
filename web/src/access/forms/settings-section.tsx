import { Button } from '@mantine/core';
import { Section } from '../../parts/section.tsx';
import { type ChangePath, useRefresh } from '../access-queries.ts';
import { ChangeForm } from './change-form.tsx';
import { isSet, showValue, toDraft } from './changes.ts';
import type { Facts as Record, Field } from '../fields/field.ts';
import { FactList } from '../../parts/fact-list.tsx';
import { useOpened } from './use-opened.ts';

interface SettingsSectionProps {
  title: string;
  fields: readonly Field[];
  record: Record;
  path: ChangePath;
  id: string;
  canWrite: boolean;
  /** Whether settings that are not set are left out. */
  isBrief?: boolean;
}

/** Settings of a record as they are, and a form that changes them. */
export function SettingsSection(props: SettingsSectionProps) {
  const { title, fields, record, path, id, canWrite, isBrief = false } = props;
  const refresh = useRefresh();
  const { isOpen, close, opener } = useOpened();
  const draft = toDraft(fields, record);
  const shown = fields.filter(({ name }) => !isBrief || isSet(draft[name]));
  const finish = (): void => {
    close();
    void refresh();
  };
  const change = canWrite && !isOpen && (
    <Button variant="default" size="xs" {...opener} aria-label={`Change: ${title}`}>
      Change
    </Button>
  );
  return (
    <Section title={title} action={change}>
      {isOpen ? (
        <ChangeForm
          title={`Change: ${title}`}
          fields={fields}
          path={path}
          id={id}
          record={record}
          verb="Apply"
          onDone={finish}
          onCancel={close}
        />
      ) : (
        <>
          {shown.length === 0 && 'Nothing is set.'}
          <FactList of={shown.map((field) => [field.label, showValue(field, draft[field.name])])} />
        </>
      )}
    </Section>
  );
}
