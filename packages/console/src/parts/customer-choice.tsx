import { mayRead } from '../api/rights.ts';
import { useSession } from '../frame/session-context.ts';
import { CustomerFinder } from './customer-finder.tsx';
import { useCustomerChoice } from './customers.ts';
import { Choice, Entry, useFilters } from './listing.tsx';
import { CUSTOMER_ID, OWNER_ID } from './written-forms.ts';

/** What belongs to no customer. */
export const HOUSE = 'house';

/** Whose they are, by name; by id for whoever may not read customers. It is kept in the address. */
export function CustomerChoice({
  name = 'customerId',
  label = 'Customer',
  all = 'All',
  withHouse = false,
}: {
  readonly name?: string;
  readonly label?: string;
  readonly all?: string;
  /** What belongs to no customer can be chosen, too. */
  readonly withHouse?: boolean;
}) {
  const isAllowed = mayRead(useSession(), 'listCustomers');
  const chosen = useFilters().search[name];
  const { customers, search } = useCustomerChoice(chosen === HOUSE ? undefined : chosen, isAllowed);
  if (!isAllowed)
    return <Entry name={name} label={`${label} id`} form={withHouse ? OWNER_ID : CUSTOMER_ID} />;
  const options = [
    ...(withHouse ? [[HOUSE, 'The house'] as const] : []),
    ...customers.map((customer) => [customer.customerId, customer.name] as const),
  ];
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
