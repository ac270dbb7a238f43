import type { PriceChannel } from '../market/price-channel.ts';
import type { PriceNews } from '../market/price-news.ts';
import type { Neighbours, ProcessNumber } from '../platform/neighbours.ts';
import type { ToChild, ToParent } from './messages.ts';
import { NewsSender } from './news-sender.ts';

/** Longer than the parent waits for those who are asked. */
const ANSWER_LIMIT_MS = 5_000; // limit: Wait of a process for the answers of the others

type Waiting = (answers: ReadonlyMap<ProcessNumber, unknown>) => void;

/** A child's end of the channel to its parent, and by that to the other children. */
export class Channel implements Neighbours, PriceChannel {
  readonly own: ProcessNumber;
  readonly count: number;
  readonly #send: (message: ToParent) => void;
  readonly #news: NewsSender;
  readonly #waiting = new Map<number, Waiting>();
  readonly #reported = new Map<string, (value: unknown, from: ProcessNumber) => void>();
  readonly #asked = new Map<string, (value: unknown) => unknown>();
  readonly #joined: ((number: ProcessNumber) => void)[] = [];
  readonly #left: ((number: ProcessNumber) => void)[] = [];
  #onNews: (news: PriceNews) => void = () => undefined;
  #lastId = 0;

  constructor(own: ProcessNumber, count: number, send: (message: ToParent) => void) {
    this.own = own;
    this.count = count;
    this.#send = send;
    this.#news = new NewsSender((news) => send({ type: 'news', news }));
  }

  notify(subject: string, value: unknown, to?: ProcessNumber): void {
    this.#send({ type: 'notify', subject, value, to });
  }

  onNotified(subject: string, listener: (value: unknown, from: ProcessNumber) => void): void {
    this.#reported.set(subject, listener);
  }

  ask(question: string, value: unknown = null): Promise<ReadonlyMap<ProcessNumber, unknown>> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#resolve(id, []), ANSWER_LIMIT_MS);
      this.#waiting.set(id, (answers) => {
        clearTimeout(timer);
        resolve(answers);
      });
      this.#send({ type: 'ask', id, question, value });
    });
  }

  onAsked(question: string, answer: (value: unknown) => unknown): void {
    this.#asked.set(question, answer);
  }

  onJoined(listener: (number: ProcessNumber) => void): void {
    this.#joined.push(listener);
  }

  onLeft(listener: (number: ProcessNumber) => void): void {
    this.#left.push(listener);
  }

  publishPrices(news: PriceNews, to?: ProcessNumber): void {
    if (to === undefined) this.#news.add(news);
    else this.#send({ type: 'news', news, to });
  }

  onPrices(listener: (news: PriceNews) => void): void {
    this.#onNews = listener;
  }

  /** Takes in what the parent says. */
  take(message: ToChild): void {
    switch (message.type) {
      case 'news':
        this.#onNews(message.news);
        this.#send({ type: 'taken' });
        break;
      case 'taken':
        this.#news.taken();
        break;
      case 'notified':
        this.#reported.get(message.subject)?.(message.value, message.from);
        break;
      case 'asked':
        void this.#answer(message.id, message.question, message.value);
        break;
      case 'answers':
        this.#resolve(message.id, message.answers);
        break;
      case 'joined':
        for (const listener of this.#joined) listener(message.process);
        break;
      case 'left':
        for (const listener of this.#left) listener(message.process);
        break;
    }
  }

  /** What cannot be answered is not answered: whoever asks goes on without. */
  async #answer(id: number, question: string, asked: unknown): Promise<void> {
    try {
      const value = (await this.#asked.get(question)?.(asked)) ?? null;
      // What has happened to prices until now is known before the answer is.
      this.#news.afterSent(() => this.#send({ type: 'answer', id, value }));
    } catch {
      this.#send({ type: 'answer', id, value: null });
    }
  }

  #resolve(id: number, answers: Iterable<readonly [ProcessNumber, unknown]>): void {
    this.#waiting.get(id)?.(new Map([...answers].filter(([, value]) => value !== null)));
    this.#waiting.delete(id);
  }
}
