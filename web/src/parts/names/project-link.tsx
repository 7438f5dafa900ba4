import { Link } from '@tanstack/react-router';
import { useName } from './use-names.ts';

interface ProjectLinkProps {
  organization: string | undefined;
  id: string;
}

/** A project by its name, or by its id for who may not read that. */
export function ProjectLink({ organization, id }: ProjectLinkProps) {
  const name = useName(id) ?? id;
  return (
    <Link
      to="/access"
      search={{ part: 'projects', open: id, ...(organization !== undefined && { organization }) }}
    >
      {name}
    </Link>
  );
}
