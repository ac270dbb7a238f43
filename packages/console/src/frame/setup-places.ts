export type SetupPath =
  | '/customers'
  | '/spreads'
  | '/health'
  | '/webhooks'
  | '/calendars'
  | '/people'
  | '/audit';

const PRICING = [
  'operator:pricing:read',
  'operator:market',
  'operator:prices',
  'operator:spreads',
  'operator:limits',
];

/** Pages on which the service is set up. Everybody has a session, so everybody has the page of people. */
export const SETUP_PLACES: readonly {
  readonly group: string;
  readonly name: string;
  readonly to: SetupPath;
  readonly key: string;
  readonly rights: readonly string[];
}[] = [
  {
    ...{ group: 'Set-up', name: 'Customers', to: '/customers', key: 'c' },
    rights: ['operator:customers', 'operator:customers:read'],
  },
  {
    ...{ group: 'Set-up', name: 'Spreads', to: '/spreads', key: 's' },
    rights: ['operator:spreads', 'operator:pricing:read'],
  },
  { ...{ group: 'Set-up', name: 'Price health', to: '/health', key: 'h' }, rights: PRICING },
  {
    ...{ group: 'Set-up', name: 'Calendars', to: '/calendars', key: 'y' },
    rights: ['operator:calendars', 'operator:pricing:read'],
  },
  { ...{ group: 'Set-up', name: 'Webhooks', to: '/webhooks', key: 'w' }, rights: ['operator:webhooks'] },
  { ...{ group: 'Set-up', name: 'People', to: '/people', key: 'u' }, rights: [] },
  {
    ...{ group: 'Set-up', name: 'Audit', to: '/audit', key: 'x' },
    rights: ['operator:audit', 'operator:keys'],
  },
];
