import type { TObject } from '../platform/typebox.ts';
import * as schema from './schema.ts';
import { type ClientKind, CUSTOMER_SCOPES, OPERATOR_SCOPES } from './scopes.ts';

/** Whose OAuth clients a set of routes is about. */
export interface Owners {
  readonly kind: ClientKind;
  /** Where their clients are. */
  readonly path: string;
  readonly scope: `operator:${string}`;
  readonly tag: string;
  /** In operation ids, after the verb. */
  readonly noun: string;
  /** In summaries. */
  readonly whose: string;
  /** Member of the list's answer. */
  readonly member: 'credentials' | 'clients';
  readonly params: { readonly list: TObject; readonly client: TObject; readonly secret: TObject };
  readonly schemas: schema.CredentialSchemas;
}

export const CUSTOMERS: Owners = {
  kind: 'customer',
  path: '/v1/operator/customers/:customerId/credentials',
  scope: 'operator:customers',
  tag: 'Operator: credentials',
  noun: 'Credential',
  whose: 'a customer',
  member: 'credentials',
  params: { list: schema.CustomerParams, client: schema.ClientParams, secret: schema.SecretParams },
  schemas: schema.credentialSchemas(CUSTOMER_SCOPES, 'credentials'),
};

export const OPERATORS: Owners = {
  kind: 'operator',
  path: '/v1/operator/clients',
  scope: 'operator:clients',
  tag: 'Operator: operator clients',
  noun: 'OperatorClient',
  whose: 'operators',
  member: 'clients',
  params: {
    list: schema.NoParams,
    client: schema.OperatorClientParams,
    secret: schema.OperatorSecretParams,
  },
  schemas: schema.credentialSchemas(OPERATOR_SCOPES, 'clients'),
};
