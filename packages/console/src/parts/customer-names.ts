interface Named {
  readonly customerId: string;
  readonly name: string;
}

const folded = (text: string) => text.trim().toLowerCase();

/** Names that mean one customer each. */
export function namesOf(customers: readonly Named[]): readonly string[] {
  return customers.filter(({ name }) => withName(customers, name).length === 1).map(({ name }) => name);
}

/** The id of the one customer of that name; what is none, or the name of several, stays as it is. */
export function readCustomer(text: string, customers: readonly Named[]): string {
  const [one, ...others] = withName(customers, text);
  return one !== undefined && others.length === 0 ? one.customerId : text;
}

function withName(customers: readonly Named[], name: string): readonly Named[] {
  return customers.filter((each) => folded(each.name) === folded(name));
}
