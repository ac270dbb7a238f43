import { type ReactNode, useState } from 'react';
import { mayRead, type Reading } from '../api/rights.ts';
import { noticeFailure } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { inOneLine } from './states.tsx';

/**
 * A file of the service, for those who may have it. The browser takes whatever it is answered for the file, and a session may be over, or the
 * file gone, since the page was read: so that is asked first, and said here. However large the file is, the browser writes it to disk.
 * @param ask reads something that takes the same right, and is not there without the file
 */
export function DownloadLink({
  reads,
  href,
  saveAs,
  className,
  title,
  ask,
  children,
}: {
  readonly reads: Reading;
  readonly href: string;
  /** Where the service does not name it. */
  readonly saveAs?: string;
  readonly className?: string;
  readonly title?: string;
  readonly ask: () => PromiseLike<unknown>;
  readonly children: ReactNode;
}) {
  const session = useSession();
  const [fault, say] = useState<string>();
  if (!mayRead(session, reads)) return null;
  const take = async () => {
    say(undefined);
    try {
      await ask();
    } catch (error) {
      noticeFailure(error);
      say(inOneLine(error));
      return;
    }
    save(href, saveAs);
  };
  return (
    <>
      <a
        href={href}
        download={saveAs ?? ''}
        className={className}
        title={title}
        onClick={(event) => {
          event.preventDefault();
          void take();
        }}
      >
        {children}
      </a>
      {fault !== undefined && (
        <span className="wrong" role="alert">
          {fault}
        </span>
      )}
    </>
  );
}

function save(href: string, saveAs = ''): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = saveAs;
  link.click();
}
