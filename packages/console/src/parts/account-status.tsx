import { At, Status } from './text.tsx';
import { isAhead } from './waiting.tsx';

interface AccountStatusProps {
  readonly of: { readonly status: string; readonly usableFrom: string | null };
}

/** Whether an account is in use; one that was added or replaced may have to wait. */
export function AccountStatus({ of: { status, usableFrom } }: AccountStatusProps) {
  return status === 'active' && isAhead(usableFrom) ? (
    <span>
      <Status of="waits" mood="warn" /> until <At at={usableFrom ?? ''} />
    </span>
  ) : (
    <Status of={status} mood={status === 'active' ? 'ok' : 'idle'} />
  );
}
