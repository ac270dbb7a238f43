import type { ReactNode } from 'react';

/** One line of a list of facts. */
export function Fact({
  name,
  isMoney = false,
  children,
}: {
  readonly name: string;
  /** It is what the facts are about, and stands out. */
  readonly isMoney?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={isMoney ? 'money' : undefined}>{children}</dd>
    </div>
  );
}
