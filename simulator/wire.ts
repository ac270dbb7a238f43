import type pg from 'pg';

/** What the statements of a machine meet on their way to the database. */
export interface WireRules {
  /** Called before each statement. A promise holds it up; throwing keeps it from being sent. */
  before(text: string, client: pg.Client): Promise<void> | undefined;
  /** Called when its answer is there, before anybody sees it. A promise keeps it back. */
  after(text: string): Promise<void> | undefined;
}

/**
 * The wire between one machine and the database: how many statements are under way, and the connections, which a crash
 * destroys. What a connection is asked goes through it, whoever asks.
 */
export class Wire {
  readonly clients = new Set<pg.Client>();
  rules: WireRules | undefined;
  #underWay = 0;
  #waiting: (() => void)[] = [];
  statements = 0;
  isCut = false;

  /** Statements sent and not answered, or held up. */
  get underWay(): number {
    return this.#underWay;
  }

  begin(): void {
    this.#underWay++;
    this.statements++;
  }

  end(): void {
    this.#underWay--;
    if (this.#underWay > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves when nothing is under way. */
  quiet(): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** All connections are gone, as when the process behind them is killed. */
  cut(): void {
    this.isCut = true;
    for (const client of this.clients)
      (client as unknown as { connection: pg.Connection }).connection.stream.destroy();
    this.clients.clear();
  }
}
