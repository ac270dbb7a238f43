import type { ListenAddress } from '../config.ts';
import type { OwnDatabase } from '../database/open.ts';
import type { PriceNews } from '../market/price-news.ts';
import type { ProcessNumber } from '../platform/neighbours.ts';

/** What a child is to be. */
export interface ChildStart {
  readonly own: ProcessNumber;
  readonly count: number;
  /** Where all of them listen; never 0. */
  readonly port: number;
  readonly operatorListen: ListenAddress | undefined;
  readonly ownDatabase: OwnDatabase | undefined;
}

type Answers = readonly (readonly [process: ProcessNumber, value: unknown])[];

export type ToChild =
  | { readonly type: 'start'; readonly start: ChildStart }
  /** All of them take requests. */
  | { readonly type: 'everyServes' }
  | { readonly type: 'stop'; readonly reason: string }
  | { readonly type: 'news'; readonly news: PriceNews }
  /** The parent has taken the news that were sent last. */
  | { readonly type: 'taken' }
  | {
      readonly type: 'notified';
      readonly from: ProcessNumber;
      readonly subject: string;
      readonly value: unknown;
    }
  | { readonly type: 'asked'; readonly id: number; readonly question: string; readonly value: unknown }
  | { readonly type: 'answers'; readonly id: number; readonly answers: Answers }
  | { readonly type: 'joined' | 'left'; readonly process: ProcessNumber };

export type ToParent =
  /** It takes requests. */
  | { readonly type: 'serves' }
  /** Of the first one: all that a start does is done. */
  | { readonly type: 'started'; readonly greeting: string }
  | { readonly type: 'news'; readonly news: PriceNews; readonly to?: ProcessNumber | undefined }
  | { readonly type: 'taken' }
  | {
      readonly type: 'notify';
      readonly subject: string;
      readonly value: unknown;
      readonly to?: ProcessNumber | undefined;
    }
  | { readonly type: 'ask'; readonly id: number; readonly question: string; readonly value: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown };

/** The one that has the sources of prices, the folder of statements and the FIX sessions, and writes `sandbox.json`. */
export const FIRST: ProcessNumber = 1;
