import { operation } from '../operation.ts';
import { named } from '../schema.ts';
import { Type } from '../typebox.ts';

/** Health of the service, for balancers and alarms. */

const Check = named('Check', Type.Object({ ok: Type.Boolean(), detail: Type.String() }));
const Readiness = named(
  'Readiness',
  Type.Object({
    ready: Type.Boolean(),
    checks: Type.Object({
      database: Check,
      writes: Check,
      migrations: Check,
      clock: Check,
      accepting: Check,
    }),
  }),
);
const PricingReadiness = named(
  'PricingReadiness',
  Type.Object({
    ready: Type.Boolean(),
    checks: Type.Object({ prices: Check, calendars: Check }),
  }),
);

const tag = 'Operations';

export const getLiveness = operation({
  id: 'getLiveness',
  forHouse: true,
  method: 'GET',
  path: '/healthz',
  tag,
  summary: 'Check that the process is alive',
  description:
    'Checks nothing else: neither the database nor prices. Restart a process that does not answer.',
  answers: { 200: Type.Object({ status: Type.String() }) },
});

export const getReadiness = operation({
  id: 'getReadiness',
  forHouse: true,
  method: 'GET',
  path: '/readyz',
  tag,
  summary: 'Check that the service is ready',
  description: 'For load balancers. Prices are not checked: see `/readyz/prices`.',
  answers: {
    200: Readiness,
    503: { description: 'It is not ready.', content: { 'application/json': Readiness } },
  },
});

export const getPricingReadiness = operation({
  id: 'getPricingReadiness',
  forHouse: true,
  method: 'GET',
  path: '/readyz/prices',
  tag,
  summary: 'Check that the service can price',
  description: 'For alarms. Without prices, everything but quoting works.',
  answers: {
    200: PricingReadiness,
    503: { description: 'It cannot price now.', content: { 'application/json': PricingReadiness } },
  },
});
