import { operation } from '../operation.ts';
import { choice, id, strictCurrency, text } from '../parameters.ts';
import {
  CLOSED,
  CurrencyCode,
  CustomerId,
  described,
  Instant,
  line,
  literals,
  named,
  nullable,
  pageOf,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** Accounts that money goes to: the customers' own, and the house's; and where customers are. */

export const INSTRUCTION_STATUSES = ['active', 'retired'] as const;

const account = {
  bic: nullable(Type.String({ maxLength: 11 })),
  iban: nullable(Type.String({ maxLength: 42, description: 'Spaces are removed.' })),
  accountNumber: nullable(Type.String({ maxLength: 42 })),
  routingNumber: nullable(Type.String({ maxLength: 24 })),
};
const accountInput = {
  bankName: Type.Optional(nullable(line(140))),
  bic: Type.Optional(account.bic),
  iban: Type.Optional(account.iban),
  accountNumber: Type.Optional(account.accountNumber),
  routingNumber: Type.Optional(account.routingNumber),
};
const Lei = Type.String({
  pattern: '^[A-Z0-9]{20}$',
  description: 'Legal entity identifier of the account holder.',
});

const AddSettlementInstruction = Type.Object(
  {
    currency: CurrencyCode,
    accountHolder: line(140),
    bankCountry: Type.Optional(
      nullable(Type.String({ pattern: '^[A-Z]{2}$', description: 'Must match the IBAN and the BIC.' })),
    ),
    lei: Type.Optional(nullable(Lei)),
    ...accountInput,
  },
  { ...CLOSED, description: 'Needs exactly one of `iban` and `accountNumber`.' },
);

export const SettlementInstruction = named(
  'SettlementInstruction',
  Type.Object({
    settlementInstructionId: Type.String({ examples: ['ssi_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
    customerId: CustomerId,
    currency: CurrencyCode,
    accountHolder: Type.String(),
    bankName: nullable(Type.String()),
    bankCountry: nullable(Type.String()),
    lei: nullable(Type.String()),
    bic: nullable(Type.String()),
    accountType: literals(['iban', 'account_number']),
    accountMasked: Type.String({ examples: ['DE** **** 4321'] }),
    routingNumber: nullable(Type.String()),
    status: literals(INSTRUCTION_STATUSES),
    usableFrom: nullable(
      described(Instant, 'Nothing is paid to this new account before then. Null: it is not waiting.'),
    ),
    createdAt: Instant,
  }),
);
export type SettlementInstruction = Static<typeof SettlementInstruction>;

/** ISO 20022 PstlAdr, with the lengths of pain.001.001.09. */
export const PostalAddress = named(
  'PostalAddress',
  Type.Object(
    {
      streetName: Type.Optional(line(70)),
      buildingNumber: Type.Optional(line(16)),
      postBox: Type.Optional(line(16)),
      postalCode: Type.Optional(line(16)),
      townName: line(35),
      countrySubDivision: Type.Optional(line(35)),
      country: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.' }),
      addressLines: Type.Optional(
        Type.Array(line(70), {
          minItems: 1,
          maxItems: 2,
          description: 'Street and so on, instead of separate fields (hybrid address).',
        }),
      ),
    },
    { ...CLOSED, description: 'Town and country have their own members, as banks require.' },
  ),
);
const SetPostalAddress = Type.Object(
  { postalAddress: nullable(PostalAddress) },
  { ...CLOSED, description: 'Null removes the address.' },
);
const PostalAddressOfCustomer = Type.Object({ postalAddress: nullable(PostalAddress) });

const SetCollectionAccount = Type.Object(
  {
    accountHolder: line(140),
    ...accountInput,
    rails: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z0-9_]{1,32}$' }), {
        maxItems: 10,
        uniqueItems: true,
        description: 'Payment rails that it accepts.',
        examples: [['fedwire']],
      }),
    ),
    holderAddress: Type.Optional(nullable(PostalAddress)),
    holderLei: Type.Optional(nullable(Lei)),
  },
  { ...CLOSED, description: 'Needs `iban` or `accountNumber`, or both.' },
);
const houseAccount = {
  accountHolder: Type.String(),
  bankName: nullable(Type.String()),
  ...account,
  rails: Type.Array(Type.String()),
  holderAddress: nullable(PostalAddress),
  holderLei: nullable(Type.String()),
};
export const CollectionAccount = named(
  'CollectionAccount',
  Type.Object({
    currency: CurrencyCode,
    ...houseAccount,
    updatedAt: Instant,
    next: nullable(
      described(
        Type.Object({ ...houseAccount, usableFrom: Instant }),
        'The account that replaces it at `usableFrom`. Null: none is waiting.',
      ),
    ),
  }),
);
export type CollectionAccount = Static<typeof CollectionAccount>;

const tag = 'Operator: accounts';
const access = { audience: 'operator', scope: 'operator:settlement-instructions' } as const;
const house = { audience: 'operator', scope: 'operator:house-accounts' } as const;
const CUSTOMER = '/v1/operator/customers/{customerId}';
const INSTRUCTIONS = `${CUSTOMER}/settlement-instructions`;
const params = { customerId: id('cus') };
const ofCurrency = { currency: text(200, 'ISO 4217 code.') };

export const addSettlementInstruction = operation({
  id: 'addSettlementInstruction',
  method: 'POST',
  path: INSTRUCTIONS,
  tag,
  summary: 'Add an account that the customer is paid to',
  description: 'It replaces the active one of its currency.',
  access: { ...access, fresh: true },
  params,
  body: AddSettlementInstruction,
  key: 'kept',
  answers: { 201: SettlementInstruction },
  problems: ['customer_not_found'],
});

export const listSettlementInstructions = operation({
  id: 'listSettlementInstructions',
  audited: 'read',
  method: 'GET',
  path: INSTRUCTIONS,
  tag,
  summary: 'List the accounts that the customer is paid to, newest first',
  description:
    'Includes retired ones. At most one for each currency is active; before `usableFrom` nothing is paid to it.',
  access,
  params,
  query: {
    currency: strictCurrency(),
    status: choice(INSTRUCTION_STATUSES),
  },
  pages: true,
  answers: { 200: pageOf(SettlementInstruction) },
  problems: ['customer_not_found'],
});

export const retireSettlementInstruction = operation({
  id: 'retireSettlementInstruction',
  method: 'DELETE',
  path: `${INSTRUCTIONS}/{ssiId}`,
  tag,
  summary: 'Retire an account that the customer is paid to',
  description: 'Trades executed with it keep it.',
  access,
  params: { ...params, ssiId: id('ssi') },
  answers: { 204: { description: 'Retired.' } },
  problems: ['customer_not_found', 'settlement_instruction_not_found'],
});

export const releaseSettlementInstruction = operation({
  id: 'releaseSettlementInstruction',
  method: 'POST',
  path: `${INSTRUCTIONS}/{ssiId}/release`,
  tag,
  summary: 'Release a new settlement account before its wait ends',
  description: 'Does nothing if it is not waiting.',
  access: { ...access, fresh: true },
  params: { ...params, ssiId: id('ssi') },
  key: 'kept',
  answers: { 200: SettlementInstruction },
  problems: ['customer_not_found', 'settlement_instruction_not_found'],
});

export const getPostalAddress = operation({
  id: 'getPostalAddress',
  audited: 'read',
  method: 'GET',
  path: `${CUSTOMER}/postal-address`,
  tag,
  summary: 'Read the postal address of a customer',
  description: "The creditor's address in payment files; null if none is set.",
  access,
  params,
  answers: { 200: PostalAddressOfCustomer },
  problems: ['customer_not_found'],
});

export const setPostalAddress = operation({
  id: 'setPostalAddress',
  method: 'PUT',
  path: `${CUSTOMER}/postal-address`,
  tag,
  summary: 'Set the postal address of a customer',
  description: "Payment files show it as the creditor's address.",
  access,
  params,
  body: SetPostalAddress,
  answers: { 200: PostalAddressOfCustomer },
  problems: ['customer_not_found'],
});

export const listCollectionAccounts = operation({
  id: 'listCollectionAccounts',
  method: 'GET',
  path: '/v1/operator/collection-accounts',
  tag,
  summary: "List the house's collection accounts",
  description: 'Customers pay into them; there is one for each currency.',
  access: house,
  answers: { 200: Type.Object({ items: Type.Array(CollectionAccount) }) },
});

export const setCollectionAccount = operation({
  id: 'setCollectionAccount',
  method: 'PUT',
  path: '/v1/operator/collection-accounts/{currency}',
  tag,
  summary: 'Set the collection account of a currency',
  description:
    'A different account first waits as `next`. Existing transactions keep the account that they were executed with.',
  access: { ...house, fresh: true },
  params: ofCurrency,
  body: SetCollectionAccount,
  answers: { 200: CollectionAccount },
});

export const releaseCollectionAccount = operation({
  id: 'releaseCollectionAccount',
  method: 'POST',
  path: '/v1/operator/collection-accounts/{currency}/release',
  tag,
  summary: 'Release a new collection account before its wait ends',
  description: 'Does nothing if it is not waiting.',
  access: { ...house, fresh: true },
  params: ofCurrency,
  answers: { 200: CollectionAccount },
  problems: ['settlement_instructions_missing'],
});
