/**
 * A message to be sent, shaped as the library's interface says, so that the compiler sees a group at a wrong level,
 * which the library would leave out without a word. Numbers are texts, which are sent as they are: a float would lose
 * the last zero of a price, or worse. Header and trailer are made by the library.
 */
export type Outbound<Message> = {
  readonly [Key in Exclude<keyof Message, 'StandardHeader' | 'StandardTrailer'>]?: OutboundValue<
    NonNullable<Message[Key]>
  >;
};

type OutboundValue<Value> = Value extends Date
  ? Date
  : Value extends readonly (infer Row)[]
    ? readonly Outbound<Row>[]
    : Value extends number
      ? string
      : Value extends object
        ? Outbound<Value>
        : Value;
