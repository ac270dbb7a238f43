import { Tabs } from '../parts/tabs.tsx';
import { useTitle } from '../parts/title.ts';
import { Persons } from '../people/persons.tsx';
import { Clients } from '../people/programs.tsx';
import { Roles } from '../people/roles.tsx';
import { Me, Sessions } from '../people/sessions.tsx';

/** Who acts for the house: persons, what they may do, where they are signed in, and programs. */
export function People() {
  useTitle('People');
  return (
    <>
      <div className="page-head">
        <h1>People</h1>
      </div>
      <Tabs
        tabs={[
          { name: 'me', text: 'Me', show: () => <Me /> },
          { name: 'persons', text: 'Persons', reads: ['listPersons'], show: () => <Persons /> },
          { name: 'sessions', text: 'Sessions', reads: ['listSessions'], show: () => <Sessions /> },
          { name: 'roles', text: 'Roles', reads: ['listRoles'], show: () => <Roles /> },
          { name: 'clients', text: 'Programs', reads: ['listOperatorClients'], show: () => <Clients /> },
        ]}
      />
    </>
  );
}
