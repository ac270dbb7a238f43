import { operation } from '../operation.ts';
import { id } from '../parameters.ts';
import {
  CurrencyCode,
  CustomerId,
  described,
  Instant,
  LINE_PATTERN,
  literals,
  named,
  nullable,
  pageOf,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** Accounts by which deposits are recognised: virtual ones, and those that a customer has paid from. */

const AddVirtualAccount = Type.Object(
  {
    currency: CurrencyCode,
    number: Type.String({
      minLength: 4,
      maxLength: 64,
      pattern: LINE_PATTERN,
      description:
        'IBAN or number, as the bank names it in its statements. Blanks and punctuation do not matter.',
    }),
  },
  { additionalProperties: false },
);
const VirtualAccount = named(
  'VirtualAccount',
  Type.Object({
    virtualAccountId: Type.String({ examples: ['vac_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
    customerId: CustomerId,
    currency: CurrencyCode,
    number: Type.String(),
    status: literals(['active', 'closed']),
    createdAt: Instant,
    usableFrom: nullable(described(Instant, 'Until then the account is new, and trades do not name it.')),
    closedAt: nullable(Instant),
  }),
);
export type VirtualAccount = Static<typeof VirtualAccount>;
const Remitter = named(
  'Remitter',
  Type.Object({
    remitterId: Type.String({ examples: ['rem_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
    account: Type.String(),
    name: nullable(Type.String()),
    learntAt: Instant,
    learntBy: Type.String({ description: 'The person or client.' }),
    depositId: Type.String({ description: 'The deposit that it was learnt from.' }),
  }),
);
export type Remitter = Static<typeof Remitter>;

const tag = 'Operator: accounts';
const access = { audience: 'operator', scope: 'operator:deposits' } as const;
const CUSTOMER = '/v1/operator/customers/{customerId}';
const ofCustomer = { customerId: id('cus') };

export const addVirtualAccount = operation({
  id: 'addVirtualAccount',
  method: 'POST',
  path: `${CUSTOMER}/virtual-accounts`,
  tag,
  summary: 'Register a virtual account',
  description: 'Money that arrives on it from now on belongs to the customer.',
  access: { ...access, fresh: true },
  params: ofCustomer,
  body: AddVirtualAccount,
  key: 'kept',
  answers: { 201: VirtualAccount },
  problems: ['customer_not_found', 'currency_not_supported', 'already_exists', 'limit_exceeded'],
});

export const listVirtualAccounts = operation({
  id: 'listVirtualAccounts',
  audited: 'read',
  method: 'GET',
  path: `${CUSTOMER}/virtual-accounts`,
  tag,
  summary: 'List the virtual accounts of a customer, newest first',
  description: 'Includes closed ones. New trades name the newest open one that has reached its `usableFrom`.',
  access,
  params: ofCustomer,
  pages: true,
  answers: { 200: pageOf(VirtualAccount) },
  problems: ['customer_not_found'],
});

export const releaseVirtualAccount = operation({
  id: 'releaseVirtualAccount',
  method: 'POST',
  path: `${CUSTOMER}/virtual-accounts/{virtualAccountId}/release`,
  tag,
  summary: 'Release a new virtual account before its wait ends',
  description: 'Trades name it at once. Does nothing if it is not waiting.',
  access: { ...access, fresh: true },
  params: { ...ofCustomer, virtualAccountId: id('vac') },
  answers: { 200: VirtualAccount },
  problems: ['customer_not_found', 'virtual_account_not_found'],
});

export const closeVirtualAccount = operation({
  id: 'closeVirtualAccount',
  method: 'DELETE',
  path: `${CUSTOMER}/virtual-accounts/{virtualAccountId}`,
  tag,
  summary: 'Close a virtual account',
  description: 'Later payments to it are not assigned to a customer.',
  access,
  params: { ...ofCustomer, virtualAccountId: id('vac') },
  answers: { 204: { description: 'Closed.' } },
  problems: ['customer_not_found', 'virtual_account_not_found'],
});

export const listRemitters = operation({
  id: 'listRemitters',
  audited: 'read',
  method: 'GET',
  path: `${CUSTOMER}/remitters`,
  tag,
  summary: 'List the accounts that a customer is known to pay from',
  description: 'Newest first, at most 200.',
  access,
  params: ofCustomer,
  answers: { 200: Type.Object({ items: Type.Array(Remitter) }) },
  problems: ['customer_not_found'],
});

export const forgetRemitter = operation({
  id: 'forgetRemitter',
  method: 'DELETE',
  path: `${CUSTOMER}/remitters/{remitterId}`,
  tag,
  summary: 'Forget an account that a customer has paid from',
  description:
    "Deposits from it are no longer suggested for this customer, and may count as a third party's. Existing matches stay.",
  access,
  params: { ...ofCustomer, remitterId: id('rem') },
  answers: { 204: { description: 'Forgotten.' } },
  problems: ['customer_not_found', 'remitter_not_found'],
});
