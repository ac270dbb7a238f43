import type { PostalAddress } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { CommandAction } from '../parts/command-action.tsx';
import { View } from '../parts/states.tsx';
import { Verbatim } from '../parts/text.tsx';
import { REMOVE_ADDRESS, SET_ADDRESS } from './address-commands.ts';

/** Where a customer lives. Each reading is on record, so it is read when it is looked at, and when something was sent. */
export function CustomerAddress({ customerId }: { readonly customerId: string }) {
  const query = useQuery({
    queryKey: ['postal-address', customerId],
    queryFn: async () => await operator.getPostalAddress(customerId),
  });
  return (
    <section className="card address" aria-labelledby="address">
      <h2 id="address">Postal address</h2>
      <View query={query}>
        {({ postalAddress }) => (
          <>
            {postalAddress === null ? (
              <p className="hint">None. Payment files name the customer alone.</p>
            ) : (
              <Address of={postalAddress} />
            )}
            <div className="actions">
              <CommandAction
                name="address"
                command={SET_ADDRESS}
                subject={postalAddress}
                ids={[customerId]}
                isPossible
              />
              <CommandAction
                name="no-address"
                command={REMOVE_ADDRESS}
                subject={undefined}
                ids={[customerId]}
                isPossible={postalAddress !== null}
              />
            </div>
          </>
        )}
      </View>
    </section>
  );
}

function Address({ of }: { readonly of: PostalAddress }) {
  const joined = (...parts: readonly (string | undefined)[]) =>
    parts.filter((part) => part !== undefined).join(' ');
  const lines = [
    ...(of.addressLines ?? []),
    joined(of.streetName, of.buildingNumber),
    joined(of.postBox),
    joined(of.postalCode, of.townName),
    joined(of.countrySubDivision),
    of.country,
  ].filter((line) => line !== '');
  return (
    <address>
      {lines.map((line) => (
        <div key={line}>
          <Verbatim text={line} />
        </div>
      ))}
    </address>
  );
}
