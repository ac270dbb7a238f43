import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { createAuthorization } from '../authorization/room.ts';
import { CUSTOMER_SCOPES } from '../authorization/scopes.ts';
import type { CustomersRoom } from '../customers/room.ts';
import type { Pool } from '../database/pool.ts';
import type { Market } from '../market/market.ts';
import { systemClock, type VirtualClock } from '../platform/clock.ts';
import { parseTypeId, uuidOf } from '../platform/ids.ts';
import type { Logger } from '../platform/logger.ts';
import type { Neighbours } from '../platform/neighbours.ts';
import type { Sweep, SweepRunner } from '../platform/sweeps.ts';
import type { SpreadRulesRoom } from '../pricing/set-spread-rules.ts';
import type { QuotesRoom } from '../quotes/room.ts';
import { LOOK } from '../settings/follower.ts';
import type { BankRoom } from './bank/deliver-files.ts';
import { MarketControls } from './control-market.ts';
import { SandboxControls } from './controls.ts';
import type { SandboxFile } from './credentials-file.ts';
import { ensureSandbox, type SandboxClientOwner } from './first-start.ts';
import { sandboxRoutes } from './routes.ts';
import { withdrawalSweep } from './scenarios.ts';
import { simulatedBankSweep } from './simulated-bank.ts';

/** What the routes of this room work with. */
export interface SandboxRoom extends BankRoom {
  readonly controls: SandboxControls;
  readonly marketControls: MarketControls;
  readonly market: Market;
  readonly sweeps: SweepRunner;
}

interface SandboxOptions {
  readonly pool: Pool;
  readonly clock: VirtualClock;
  readonly logger: Logger;
  readonly market: Market;
  readonly customers: CustomersRoom;
  readonly pricing: SpreadRulesRoom;
  readonly quotes: QuotesRoom;
  readonly clients: ReturnType<typeof createAuthorization>['clients'];
  readonly dataDir: string;
  readonly neighbours?: Neighbours | undefined;
}

export type Sandbox = ReturnType<typeof createSandbox>;

/** All that sandbox mode adds to the service: controls, a simulated bank, a customer to start with. */
export function createSandbox(options: SandboxOptions) {
  const { pool, clock, logger, market, clients, neighbours } = options;
  const { dates } = options.quotes;
  const controls = new SandboxControls(pool, clock, async () => {
    await neighbours?.ask(LOOK);
  });
  const marketControls = new MarketControls(market, () => clock.now(), neighbours);
  const bank = { pool, clock, logger, dates, settlement: () => controls.bank.settlement };
  const file = join(options.dataDir, 'sandbox.json');
  const sweeps: Sweep[] = [withdrawalSweep(options.quotes, pool), simulatedBankSweep(bank)];
  return {
    controls,
    topics: [controls.topic()],
    file,
    sweeps,
    routes(app: FastifyInstance, sweeps: SweepRunner): void {
      sandboxRoutes(app, { ...bank, controls, marketControls, market, sweeps });
    },
    /** Makes what a newcomer needs, unless it is there, and answers what `sandbox.json` says from when it is ready. */
    ensure(
      addresses: { base(): string; auth(): string; audience(): string },
      ready: () => Promise<void>,
    ): Promise<SandboxFile> {
      return ensureSandbox({
        pool,
        realClock: systemClock,
        customers: options.customers,
        pricing: options.pricing,
        // Newcomers may try everything, also what clients otherwise get only when it is said.
        createClient: (owner, name) =>
          clients.create({ owner, name, ...(owner.kind === 'customer' && { scopes: CUSTOMER_SCOPES }) }),
        answerFor: (clientId, personId) =>
          clients.answerFor({ id: uuidOf('cli', clientId), customerId: undefined }, personId),
        revokeClient: (owner, clientId) => revoke(clients, owner, clientId),
        ready,
        file,
        addresses: { baseUrl: addresses.base(), authUrl: addresses.auth(), audience: addresses.audience() },
      });
    },
  };
}

async function revoke(
  clients: SandboxOptions['clients'],
  owner: SandboxClientOwner,
  clientId: string,
): Promise<void> {
  const id = parseTypeId('cli', clientId);
  if (id === undefined) return;
  await clients.revoke({ id, customerId: owner.kind === 'customer' ? owner.customerId : undefined });
}
