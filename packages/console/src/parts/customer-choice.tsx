import { mayRead } from '../api/rights.ts';
import { useSession } from '../frame/session-context.ts';
import { CustomerFinder } from './customer-finder.tsx';
import { useCustomerChoice } from './customers.ts';
import { Choice, Entry, useFilters } from './listing.tsx';
import { CUSTOMER_ID } from './written-forms.ts';

/** Whose they are, by name; by id for whoever may not read customers. It is kept in the address. */
export function CustomerChoice({
  name = 'customerId',
  label = 'Customer',
  all = 'All',
}: {
  readonly name?: string;
  readonly label?: string;
  readonly all?: string;
}) {
  const isAllowed = mayRead(useSession(), 'listCustomers');
  const chosen = useFilters().search[name];
  const { customers, search } = useCustomerChoice(chosen, isAllowed);
  if (!isAllowed) return <Entry name={name} label={`${label} id`} form={CUSTOMER_ID} />;
  const options = customers.map((customer) => [customer.customerId, customer.name] as const);
  // A link may lead to a customer that there is not.
  const isListed = chosen === undefined || options.some(([id]) => id === chosen);
  return (
    <>
      <CustomerFinder search={search} />
      <Choice
        name={name}
        label={label}
        all={all}
        options={isListed ? options : [...options, [chosen, chosen]]}
      />
    </>
  );
}
