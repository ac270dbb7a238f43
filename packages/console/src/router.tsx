import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { Frame } from './frame/frame.tsx';
import { jumpTarget } from './frame/jump.ts';
import { NotFound } from './parts/states.tsx';

/** Everything that is chosen is in the address, as texts. */
export type Search = Readonly<Record<string, string | undefined>>;

const root = createRootRoute({
  component: Frame,
  notFoundComponent: NotFound,
  validateSearch: (search: Record<string, unknown>): Search =>
    Object.fromEntries(
      Object.entries(search).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
      ),
    ),
});

const routes = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    beforeLoad: () => {
      throw redirect({ to: '/overview', replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/overview',
    component: lazyRouteComponent(() => import('./pages/overview.tsx'), 'Overview'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/markets',
    component: lazyRouteComponent(() => import('./pages/markets.tsx'), 'Markets'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/quotes',
    component: lazyRouteComponent(() => import('./pages/quotes.tsx'), 'Quotes'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/quotes/$quoteId',
    component: lazyRouteComponent(() => import('./pages/quote.tsx'), 'QuotePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/transactions',
    component: lazyRouteComponent(() => import('./pages/transactions.tsx'), 'Transactions'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/transactions/$transactionId',
    component: lazyRouteComponent(() => import('./pages/transaction.tsx'), 'TransactionPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/exceptions',
    component: lazyRouteComponent(() => import('./pages/exceptions.tsx'), 'Exceptions'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/exceptions/$exceptionId',
    component: lazyRouteComponent(() => import('./pages/exception.tsx'), 'ExceptionPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/deposits',
    component: lazyRouteComponent(() => import('./pages/deposits.tsx'), 'Deposits'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/statements',
    component: lazyRouteComponent(() => import('./pages/statements.tsx'), 'Statements'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/payments',
    component: lazyRouteComponent(() => import('./pages/payments.tsx'), 'Payments'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/bank',
    component: lazyRouteComponent(() => import('./pages/bank.tsx'), 'Bank'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/ledger',
    component: lazyRouteComponent(() => import('./pages/ledger.tsx'), 'Ledger'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/positions',
    component: lazyRouteComponent(() => import('./pages/positions.tsx'), 'Positions'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/reports',
    component: lazyRouteComponent(() => import('./pages/reports.tsx'), 'Reports'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/approvals',
    component: lazyRouteComponent(() => import('./pages/approvals.tsx'), 'Approvals'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/customers',
    component: lazyRouteComponent(() => import('./pages/customers.tsx'), 'Customers'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/customers/$customerId',
    component: lazyRouteComponent(() => import('./pages/customer.tsx'), 'CustomerPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/spreads',
    component: lazyRouteComponent(() => import('./pages/spreads.tsx'), 'Spreads'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/health',
    component: lazyRouteComponent(() => import('./pages/health.tsx'), 'Health'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/health/$pair',
    component: lazyRouteComponent(() => import('./pages/pair.tsx'), 'PairPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('./pages/webhooks.tsx'), 'Webhooks'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/webhooks/$webhookId',
    component: lazyRouteComponent(() => import('./pages/webhook.tsx'), 'WebhookPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/house',
    component: lazyRouteComponent(() => import('./pages/house.tsx'), 'House'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/calendars',
    component: lazyRouteComponent(() => import('./pages/calendars.tsx'), 'Calendars'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/people',
    component: lazyRouteComponent(() => import('./pages/people.tsx'), 'People'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/audit',
    component: lazyRouteComponent(() => import('./pages/audit.tsx'), 'Audit'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/i/$anyId',
    component: NotFound,
    beforeLoad: ({ params }) => {
      const to = jumpTarget((params as { anyId: string }).anyId);
      if (to !== undefined) throw redirect({ href: `/console${to}`, replace: true });
    },
  }),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given as [string, string][]).toString();
    return text === '' ? '' : `?${text}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
