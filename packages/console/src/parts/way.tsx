import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { mayGo, type Place } from '../frame/places.ts';
import { useSession } from '../frame/session-context.ts';

interface WayProps {
  readonly to:
    | Place['to']
    | '/quotes/$quoteId'
    | '/transactions/$transactionId'
    | '/exceptions/$exceptionId'
    | '/customers/$customerId'
    | '/health/$pair'
    | '/webhooks/$webhookId';
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, string>>;
  readonly className?: string;
  readonly title?: string;
  /** What whoever may not go there sees; where it is not given, the same without a link. */
  readonly instead?: ReactNode;
  readonly children?: ReactNode;
}

/** The way to a page of the console, for those who may read what is there. */
export function Way({ instead, ...link }: WayProps) {
  const isOpen = mayGo(useSession(), link.to);
  if (isOpen) return <Link {...({ search: {}, ...link } as LinkProps)} />;
  if (instead !== undefined) return instead;
  return (
    <span className={link.className} title={link.title}>
      {link.children}
    </span>
  );
}
