/** What `npm run operator -- --help` prints. */
export const HELP = `Usage: npm run operator -- <command> [options]

  create-client --name <name> [--responsible <email>]
                                     Makes an OAuth client with every operator right (scope operator:*), or what
                                     --scopes and --roles give it; until --expires, from --addresses.
                                     This is how a production service gets its first operator; a sandbox has one.
                                     A person answers for it: without one it can propose, and never approve.
  answer-for-client --client <id> --responsible <email>
                                     Says which person answers for a client. For four eyes, all clients of one person
                                     and the person are one pair of eyes.
  invite-person --email <email> --roles <role,...> [--name <name>]
                                     Makes a person known, who then signs in; of one who is known it sets the roles, and
                                     ends the sessions. This is how the first person comes. Where persons sign in with
                                     passkeys, it prints the link by which the person makes one: hand it to nobody else.
  list-clients                       Lists the operators' clients, without secrets.
  suspend-client --client <id>       Stops a client and its tokens until it is resumed.
  resume-client --client <id>        Lets a suspended client work again.
  revoke-client --client <id>        Ends a client for good, with its secrets, keys and tokens.
  update-client --client <id>        Changes what is named: --name, --scopes, --roles, --expires, --addresses, --keys.
  rotate-secret --client <id>        Revokes the client's secrets and makes a new one; with --keep-old-for the old one
                                     ends so many hours later. Its tokens go on; with --revoke-tokens they stop too.
  revoke-tokens --client <id>        Withdraws the tokens that the client has been given.
  accept-price --pair <pair> --price <mid> --reason <text> --client <id>
                                     Says which price of a pair is right, when it has moved too far to be believed by
                                     itself. The client is the operator in whose name it is kept.
  reset-fix-sequence --session <name> --reason <text> --client <id>
                                     Sets the sequence numbers of a FIX session, while the service is stopped: 1, or
                                     what --next-sent and --next-received say. It is kept in the operator's name, as
                                     a reset of the running service is.
  list-keys                          Lists the keys that the service signs with: which signs, which will, which were revoked.
  rotate-key --purpose tokens|evidence --reason <text>
                                     Lets the next key sign now. The one before verifies what it has signed.
  revoke-key --key <kid> --reason <text>
                                     Drops a key that somebody else may have: it verifies nothing any more, and the next
                                     one signs at once.
  rewrap-keys                        Encrypts everything under FIRMQUOTE_KEY_ENCRYPTION_KEY that is encrypted under
                                     FIRMQUOTE_KEY_ENCRYPTION_KEY_PREVIOUS. It can be ended anywhere and begun again.
  export --format hledger            Writes the whole journal as hledger reads it, with every balance as an assertion:
                                     "hledger check balancednoautoconversion accounts commodities ordereddates" then
                                     proves the books without this program.
  export --format audit|journal      Writes the audit trail or the journal with its seals, and signs what it comes to.
  verify                             Computes the seals of both in the database again, and names the first row that is
                                     not as it was sealed; the exit code is then 1.
  verify --file <file> --keys <file> The same of an exported file, without a database. The keys are the service's:
                                     /.well-known/jwks.json.
  archive-year --year <year> --output <folder>
                                     Writes a closed year, with nothing open in it, into a new folder: journal for hledger,
                                     trades, quotes with their evidence, deposits, statements, and the sealed logs.
  verify-archive --file <folder> --keys <file>
                                     Says whether such a folder is what was written, without a database.

Each prints one line of JSON, but for the export. A secret is shown once, by the command that makes it; only its hash is
kept. Ask for a token with it at <authUrl>/oauth/token.

All take the same settings as the service, from the environment. The service may run meanwhile, and follows within 5
seconds. The operator API has the same: /v1/operator/clients, GET /v1/operator/ledger/export.

Options:
  --name <name>      What the client is called, at most 200 characters
  --client <id>      The client's id, cli_...
  --email <email>    The person's address
  --responsible <email>
                     The person who answers for the client; somebody new is made known with this address
  --scopes <list>, --roles <list>, --addresses <list>
                     Separated by commas; an empty text is none
  --expires <time>   When the client ends, such as 2027-01-31T12:00:00Z
  --keys <file>      A JSON Web Key Set with the client's public keys, for private_key_jwt
  --keep-old-for <hours>
                     How long the old secret works beside the new one
  --revoke-tokens    Also withdraws the tokens that the client has been given
  --purpose <name>   What the key signs: tokens or evidence
  --key <kid>        The kid of a key
  --pair <pair>      Six letters in market order, such as EURUSD
  --price <mid>      The mid price that is right
  --reason <text>    Why, at most 200 characters
  --session <name>   The name of the session in the file of FIX sessions
  --next-sent <n>, --next-received <n>
                     Number of the next message to the venue, and of the one expected of it
  --stopped          No service has the session, though its gateway did not close the file
  --format <format>  Form of the export: hledger
  --output <file>    Where the export is written, a new file; by default to standard output. Of an archive, a new folder
  --year <year>      The year of an archive, such as 2025
  --help             This text
`;
