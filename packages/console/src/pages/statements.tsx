import type { StatementFile, StatementFileReport } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { Outcome, useCommand } from '../parts/command.tsx';
import { DownloadLink } from '../parts/download-link.tsx';
import { useDraft, useOpened } from '../parts/draft.ts';
import { Fact } from '../parts/facts.tsx';
import { CommandDialog, SelectField, TextField } from '../parts/form.tsx';
import { Choice, type Column, Listing, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { At, counted, Status, Verbatim, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { AccountOverTime, StatementsOfFile } from '../statements/account.tsx';
import { ChooseFile, type Chosen, chosenOf, FILE_MAX_BYTES, sizeText } from '../statements/choose-file.tsx';
import { DeleteFile } from '../statements/delete-file.tsx';
import { ENTRY_COLUMNS } from '../statements/entry-columns.tsx';
import { FilePreview } from '../statements/file-preview.tsx';
import { Mappings, useMappings } from '../statements/mappings.tsx';
import { READ_LIMIT_MS } from '../statements/preview.ts';

const STATUSES = ['accepted', 'held', 'refused'].map((status) => [status, words(status)] as const);
const MOODS = { accepted: 'ok', held: 'warn', refused: 'bad' } as const;

const COLUMNS: readonly Column<StatementFile>[] = [
  { name: 'Received', cell: ({ receivedAt }) => <At at={receivedAt} /> },
  { name: 'File', isText: true, cell: ({ name, fileId }) => <FileLink name={name} fileId={fileId} /> },
  {
    name: 'Status',
    cell: ({ status, withdrawn }) => <FileStatus status={status} isWithdrawn={withdrawn !== null} />,
  },
  { name: 'Format', cell: ({ format }) => format ?? '–' },
  { name: 'Statements', isNumber: true, cell: ({ statements }) => statements },
  { name: 'Entries', isNumber: true, cell: ({ entries }) => entries },
  { name: 'New', isNumber: true, cell: ({ newEntries }) => newEntries },
  { name: 'Sent', isNumber: true, cell: ({ attempts }) => (attempts === 1 ? 'once' : `${attempts} times`) },
];

/** What banks have told, and how their CSV files are read. */
export function Statements() {
  useTitle('Statements');
  return (
    <>
      <div className="page-head">
        <h1>Statements</h1>
      </div>
      <Tabs
        tabs={[
          { name: 'files', text: 'Files', show: () => <Files /> },
          {
            name: 'account',
            text: 'Accounts',
            reads: ['listAccountEntries', 'listAccountStatements'],
            show: () => <AccountOverTime />,
          },
          {
            name: 'mappings',
            text: 'CSV mappings',
            reads: ['listStatementMappings'],
            show: () => <Mappings />,
          },
        ]}
      />
    </>
  );
}

/** A file is dropped here, and the page says what it did. */
function Files() {
  const { search, set } = useFilters();
  const session = useSession();
  return (
    <>
      {may(session, 'operator:statements') && <ImportBox />}
      <div className="filters">
        <Choice name="status" label="Status" options={STATUSES} />
      </div>
      <div className="stack">
        {search.file !== undefined && (
          <FileCard key={search.file} fileId={search.file} onClose={() => set({ file: undefined })} />
        )}
        <div>
          <Listing
            name="Statement files"
            filters={['status']}
            read={(query, cursor) => operator.listStatementFiles({ ...query, cursor, limit: 50 } as never)}
            columns={COLUMNS}
            idOf={({ fileId }) => fileId}
            empty={
              <Empty title="No statements imported yet">
                <p>Drop a file from your bank here: camt, MT940, MT942, pain.002, CSV or JSON.</p>
              </Empty>
            }
          />
        </div>
      </div>
    </>
  );
}

function FileLink({ name, fileId }: { readonly name: string; readonly fileId: string }) {
  return (
    <Link to="." search={((before: object) => ({ ...before, file: fileId })) as never}>
      <Verbatim text={name} />
    </Link>
  );
}

function FileStatus({ status, isWithdrawn }: { readonly status: string; readonly isWithdrawn: boolean }) {
  if (isWithdrawn) return <Status of="withdrawn" mood="warn" />;
  return <Status of={status} mood={MOODS[status as keyof typeof MOODS] ?? 'idle'} />;
}

interface Intent {
  readonly name: string;
  readonly sha: string;
  /** Empty: the one whose file names it fits. */
  readonly mapping: string;
}

/** Takes files by dropping and by a button. */
function ImportBox() {
  const [isOver, setOver] = useState(false);
  const [mapping, choose] = useState('');
  const { command, wrong, take, looked, look } = useImport(mapping);
  return (
    <section
      className="drop"
      aria-label="Import a statement"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(chosenOf(event.dataTransfer.files));
      }}
    >
      <p>Drop a statement from your bank here, or choose one. At most {sizeText(FILE_MAX_BYTES)}.</p>
      <div className="actions">
        <ChooseFile
          label="Choose a file"
          about="File of a statement"
          isFirst
          isBusy={command.isBusy}
          take={(files) => take(chosenOf(files))}
        />
        <ChooseFile
          label="Look at one first …"
          about="File to look at"
          isBusy={command.isBusy}
          take={(files) => look(chosenOf(files))}
        />
      </div>
      <MappingChoice chosen={mapping} choose={choose} />
      {wrong !== undefined && (
        <p className="wrong" role="alert">
          {wrong} Nothing was sent.
        </p>
      )}
      {looked !== undefined && (
        <Looked
          file={looked}
          mapping={mapping === '' ? undefined : mapping}
          onImport={() => take({ file: looked })}
          onClose={() => look({})}
        />
      )}
      <Outcome
        state={command.state}
        done={command.state.at === 'done' ? reportOf(command.state.value) : ''}
      />
    </section>
  );
}

/** A file as it would be imported, until somebody decides. */
function Looked({
  file,
  mapping,
  onImport,
  onClose,
}: {
  readonly file: File;
  readonly mapping: string | undefined;
  readonly onImport: () => void;
  readonly onClose: () => void;
}) {
  return (
    <>
      <FilePreview file={file} by={{ mapping }} />
      <div className="actions">
        <button type="button" className="button first" onClick={onImport}>
          Import it
        </button>
        <button type="button" className="button" onClick={onClose}>
          Do not import it
        </button>
      </div>
    </>
  );
}

/** Asked for where there is a choice: most banks send no CSV. */
function MappingChoice({
  chosen,
  choose,
}: {
  readonly chosen: string;
  readonly choose: (name: string) => void;
}) {
  const { data = [] } = useMappings();
  if (data.length === 0) return null;
  return (
    <SelectField
      label="CSV mapping"
      value={chosen}
      onChange={choose}
      options={[['', "By the file's name"], ...data.map(({ name }) => [name, name] as const)]}
    />
  );
}

/** Sends a file that is taken. The same bytes are the same file, however often they are sent. */
function useImport(mapping: string) {
  const { set } = useFilters();
  const [wrong, setWrong] = useState<string>();
  const [looked, setLooked] = useState<File>();
  const chosen = useRef<File>(undefined);
  const command = useCommand<Intent, StatementFileReport>(
    'statements.import',
    ({ name, mapping: named }) =>
      operator.importStatementFile(
        chosen.current ?? '',
        { name, ...(named === '' ? {} : { mapping: named }) },
        {
          timeoutMs: READ_LIMIT_MS,
          deadlineMs: READ_LIMIT_MS,
          reason: `Dropped in the console: ${name}`,
        },
      ),
    ({ fileId }) => set({ file: fileId }),
  );
  const begin = ({ wrong: why }: Chosen) => {
    setWrong(why);
    command.reset();
  };
  const take = (taken: Chosen) => {
    const { file, wrong: why } = taken;
    if (command.isBusy || (file ?? why) === undefined) return;
    begin(taken);
    if (file === undefined) return;
    setLooked(undefined);
    chosen.current = file;
    command.send({ name: file.name, sha: `${file.size} ${file.lastModified}`, mapping });
  };
  const look = (taken: Chosen) => {
    if (command.isBusy) return;
    begin(taken);
    setLooked(taken.file);
  };
  return { command, wrong, take, looked, look };
}

function reportOf({ status, entries, newEntries, attempts }: StatementFileReport): string {
  if (status === 'refused') return 'It was read and refused; nothing was booked.';
  const again = attempts > 1 ? 'This file was received before. ' : '';
  return `${again}${counted(entries, 'entry', 'entries')}, ${newEntries} new.`;
}

function FileCard({ fileId, onClose }: { readonly fileId: string; readonly onClose: () => void }) {
  const [opened] = useOpened();
  const [isDeleted, setDeleted] = useState(false);
  const query = useQuery({
    queryKey: ['statement-file', fileId],
    queryFn: () => operator.getStatementFile(fileId),
    enabled: !isDeleted,
  });
  // The form says that it is gone; then so is what showed it.
  const isOver = isDeleted && opened === undefined;
  useEffect(() => {
    if (isOver) onClose();
  }, [isOver, onClose]);
  return (
    <section className="card desk" aria-label="File">
      <View query={query}>{(file) => <FileFacts of={file} />}</View>
      <div className="actions">
        {query.data !== undefined && (
          <>
            {!isDeleted && <FileWork of={query.data} />}
            <DeleteFile of={query.data} onDone={() => setDeleted(true)} />
          </>
        )}
        <DownloadLink
          reads="downloadStatementFile"
          ask={() => operator.getStatementFile(fileId)}
          className="button"
          href={`/v1/operator/statements/${fileId}/file`}
        >
          Download
        </DownloadLink>
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
      {!isDeleted && <StatementsOfFile fileId={fileId} />}
      {!isDeleted && <Entries fileId={fileId} />}
    </section>
  );
}

function FileFacts({ of }: { readonly of: StatementFileReport }) {
  return (
    <>
      <div className="page-head">
        <h2>
          <Verbatim text={of.name} />
        </h2>
        <FileStatus status={of.status} isWithdrawn={of.withdrawn !== null} />
      </div>
      {of.refusal !== null && (
        <div className="callout bad">
          <h2>{words(of.refusal.reason)}</h2>
          <p>
            {of.refusal.line !== null && <b>Line {of.refusal.line}: </b>}
            <Verbatim text={of.refusal.detail} />
          </p>
        </div>
      )}
      {of.status === 'held' && (
        <p className="chip warn">It is read, and imported once a second person approves it.</p>
      )}
      {of.warnings.map(({ code, statementId, detail }) => (
        <div key={`${code} ${statementId} ${detail}`} className="callout warn">
          <h2>{words(code)}</h2>
          <p>
            <Verbatim text={detail} />
          </p>
        </div>
      ))}
      <dl className="facts">
        <Fact name="Statements">{of.statements}</Fact>
        <Fact name="Entries">{of.entries}</Fact>
        <Fact name="New">{of.newEntries}</Fact>
        <Fact name="Known already">{of.entries - of.newEntries}</Fact>
        {of.paymentStatuses > 0 && <Fact name="Statuses of payments">{of.paymentStatuses}</Fact>}
        <Fact name="SHA-256">
          <span className="mono">{of.sha256}</span>
        </Fact>
      </dl>
    </>
  );
}

function mayBeAccepted({ refusal }: StatementFileReport): boolean {
  return (
    refusal !== null && ['balance_mismatch', 'totals_mismatch', 'date_implausible'].includes(refusal.reason)
  );
}

/** Accepting a file whose figures do not agree, or taking back one that should not be there. */
function FileWork({ of }: { readonly of: StatementFileReport }) {
  const session = useSession();
  const [opened, open] = useOpened();
  const [reason, setReason, forget] = useDraft(`statement.${of.fileId}`);
  const isOpen = opened === 'accept-file' || opened === 'withdraw-file';
  // What was begun stays what it is, also once it is done.
  const isAccepting = isOpen ? opened === 'accept-file' : mayBeAccepted(of);
  const command = useCommand<{ readonly reason: string; readonly isAccepting: boolean }, StatementFileReport>(
    `statement.${of.fileId}`,
    async (intent, options) =>
      intent.isAccepting
        ? operator.acceptStatementFile(of.fileId, { reason: intent.reason }, options)
        : operator.withdrawStatementFile(of.fileId, { reason: intent.reason }, options),
    forget,
  );
  const isAllowed = may(session, 'operator:statements');
  if (!isAllowed && !isOpen) return null;
  if (!isOpen && !isAccepting && (of.status !== 'accepted' || of.withdrawn !== null)) return null;
  return (
    <>
      {isAllowed && (
        <button
          type="button"
          className="button"
          onClick={() => open(isAccepting ? 'accept-file' : 'withdraw-file')}
        >
          {isAccepting ? 'Accept anyway …' : 'Withdraw …'}
        </button>
      )}
      {isOpen && (
        <CommandDialog
          scope="operator:statements"
          label={isAccepting ? 'Accept the file anyway' : 'Withdraw the file'}
          action={isAccepting ? 'Propose it' : 'Withdraw it'}
          command={command}
          isReady={reason.trim() !== ''}
          done={isAccepting ? 'It is accepted.' : 'It is withdrawn.'}
          onSubmit={() => command.send({ reason: reason.trim(), isAccepting })}
          onClose={() => {
            open(undefined);
            command.reset();
          }}
        >
          <p>
            {isAccepting
              ? 'Its figures do not agree. A second person decides.'
              : 'Entries that no other file reports are unbooked, and their deposits undone.'}
          </p>
          <TextField label="Reason, kept with the file" rows={2} value={reason} onChange={setReason} />
        </CommandDialog>
      )}
    </>
  );
}

function Entries({ fileId }: { readonly fileId: string }) {
  return (
    <div>
      <div className="filters">
        <Choice
          name="new"
          label="Entries"
          options={[
            ['true', 'New'],
            ['false', 'Known already'],
          ]}
        />
      </div>
      <Listing
        name={`Entries of ${fileId}`}
        filters={['new']}
        read={(query, cursor) => operator.listEntriesOfFile(fileId, { ...query, cursor, limit: 50 } as never)}
        columns={ENTRY_COLUMNS}
        idOf={({ entryId }) => entryId}
        empty={
          <Empty title="No entries">
            <p>The file has none, or was not imported.</p>
          </Empty>
        }
      />
    </div>
  );
}
