import type { Asked } from '../parts/action.tsx';
import { check } from '../parts/written-forms.ts';

/** Names of roles, as a form asks for them. */
export const ROLES_ASKED = (initial = ''): Asked => ({
  name: 'roles',
  label: 'Roles, separated by commas',
  initial,
  hint: 'Such as dealer, operations, viewer',
  check: check(/^[a-z][a-z0-9_-]*(\s*,\s*[a-z][a-z0-9_-]*)*$/, 'Enter role names, separated by commas.'),
});

export const namesOf = (text = '') => text.split(',').map((name) => name.trim());
