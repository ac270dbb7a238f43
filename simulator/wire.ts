import type pg from 'pg';
import type { Spares } from './spares.ts';

/** What the statements of a machine meet on their way to the database. */
export interface WireRules {
  /** Called before each statement, when its turn has come. A promise holds it up, and others go on. */
  before(text: string, client: pg.Client): Promise<void> | undefined;
  /** Called when its answer is there, before anybody sees it. A promise keeps it back. */
  after(text: string): Promise<void> | undefined;
}

/**
 * The wire between one machine and the database: its rules, and the connections, which a crash destroys. What a connection is
 * asked goes through it, whoever asks.
 */
export class Wire {
  readonly clients = new Set<pg.Client>();
  rules: WireRules | undefined;
  isCut = false;

  /**
   * All connections are gone, as when the process behind them is killed.
   * @param spares gets the sessions on which nothing is under way
   * @returns the processes of the server behind the others
   */
  cut(spares: Spares): readonly number[] {
    this.isCut = true;
    const cut = [...this.clients].filter((client) => !spares.keep(client)) as unknown as Inside[];
    for (const { connection } of cut) connection.stream.destroy();
    this.clients.clear();
    return cut.map(({ processID }) => processID).filter((id) => id !== null);
  }
}

interface Inside {
  readonly connection: pg.Connection;
  readonly processID: number | null;
}
