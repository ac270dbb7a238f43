import { OPERATIONS } from '@firmquote/api/operations/index';
import { BUILT_IN_ROLES } from '@firmquote/api/roles';
import { CUSTOMER_SCOPES, OPERATOR_SCOPES, sufficientScopes } from '@firmquote/api/scopes';
import { code, type Page, page, table } from './page.ts';

export function scopesPage(): Page {
  return page('scopes.md', 'Scopes and roles', '@firmquote/api/scopes and @firmquote/api/roles', [
    'What a token may do. Customers and operators have separate scopes. An operation that only reads takes the scope of whoever may',
    'change the same thing, or the scope that reads alone.',
    '',
    '## Customers',
    '',
    ...scopeTable(CUSTOMER_SCOPES),
    '',
    '## Operators',
    '',
    ...scopeTable(OPERATOR_SCOPES),
    '',
    '## Roles',
    '',
    'A role is scopes under a name. These are built in; operators make others of their own (`setRole`).',
    '',
    ...table(
      ['Role', 'Description', 'Scopes'],
      Object.entries(BUILT_IN_ROLES).map(([role, { description, scopes }]) => [
        code(role),
        description,
        scopes.map(code).join(' '),
      ]),
    ),
  ]);
}

function scopeTable(scopes: Readonly<Record<string, string>>): string[] {
  const rows = Object.entries(scopes).map(([scope, meaning]) => {
    const permitted = OPERATIONS.filter((operation) => sufficientScopes(operation).includes(scope));
    return [code(scope), meaning, permitted.map(({ id }) => code(id)).join(' ')];
  });
  return table(['Scope', 'Permits', 'Operations'], rows);
}
