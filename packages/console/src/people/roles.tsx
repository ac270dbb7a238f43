import type { Role } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { Action, versionTag } from '../parts/action.tsx';
import { type Column, Table } from '../parts/listing.tsx';
import { View } from '../parts/states.tsx';
import { Verbatim } from '../parts/text.tsx';
import { check } from '../parts/written-forms.ts';

/** What a role permits. */

export function Roles() {
  const query = useQuery({ queryKey: ['roles'], queryFn: async () => (await operator.listRoles()).roles });
  return (
    <div className="stack">
      <div className="actions">
        <RoleForm />
      </div>
      <View query={query}>
        {(roles) => <Table label="Roles" items={roles} idOf={({ role }) => role} columns={ROLES} />}
      </View>
    </div>
  );
}

const ROLES: readonly Column<Role>[] = [
  {
    name: 'Role',
    cell: ({ role, builtIn }) => (
      <>
        <b>{role}</b> {builtIn && <span className="dim">built in</span>}
      </>
    ),
  },
  { name: 'For', isText: true, cell: ({ description }) => <Verbatim text={description} /> },
  { name: 'Scopes', isText: true, cell: ({ scopes }) => scopes.join(', ') },
  {
    name: 'Actions',
    cell: (role) =>
      role.builtIn ? (
        '–'
      ) : (
        <span className="actions">
          <RoleForm of={role} />
          <Action
            name={`delete-${role.role}`}
            label="Delete"
            title={`Delete the role ${role.role}`}
            scope="operator:roles"
            typed={{ text: role.role, label: 'Name of the role' }}
            send={() => operator.deleteRole(role.role)}
            done="The role is deleted."
          />
        </span>
      ),
  },
];

function RoleForm({ of }: { readonly of?: Role }) {
  return (
    <Action
      name={of === undefined ? 'role' : `role-${of.role}`}
      label={of === undefined ? 'New role' : 'Change'}
      title={of === undefined ? 'New role' : `Change the role ${of.role}`}
      action="Set role"
      scope="operator:roles"
      why="role"
      version={of?.version == null ? undefined : versionTag(of.version)}
      asks={[
        ...(of === undefined
          ? [{ name: 'role', label: 'Name', hint: 'Lowercase letters, such as night_desk' }]
          : []),
        { name: 'description', label: 'What it is for', initial: of?.description ?? '' },
        {
          name: 'scopes',
          label: 'Scopes, separated by spaces',
          rows: 4,
          initial: of?.scopes.join(' ') ?? '',
          check: check(/^(operator:[a-z:*-]+\s*)+$/, 'Such as operator:customers:read operator:trades'),
        },
      ]}
      send={({ role = '', description = '', scopes = '' }, { reason, ifMatch }) =>
        operator.setRole(
          of?.role ?? role.trim(),
          { description: description.trim(), scopes: scopes.trim().split(/\s+/) as Role['scopes'] },
          { reason, ifMatch },
        )
      }
      done="The role is set."
    />
  );
}
