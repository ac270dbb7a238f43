/** A value in a row of a table, to be edited where it stands. */
export function CellField({
  label,
  value,
  placeholder,
  isWrong,
  className = 'bps usd',
  onChange,
}: {
  /** Of which row it is, too: aloud, nothing else tells it from the fields of other rows. */
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly isWrong: boolean;
  readonly className?: string;
  readonly onChange: (text: string) => void;
}) {
  return (
    <input
      className={className}
      aria-label={label}
      inputMode="decimal"
      autoComplete="off"
      aria-invalid={isWrong}
      placeholder={placeholder}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
