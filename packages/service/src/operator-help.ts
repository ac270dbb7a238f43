/** What `npm run operator -- --help` prints. */
export const HELP = `Usage: npm run operator -- <command> [options]

  create-client --name <name> [--responsible <email>]
                                     Creates an OAuth client with every operator right (scope operator:*), or what
                                     --scopes and --roles give it; until --expires, from --addresses.
                                     This is how a production service gets its first operator; a sandbox has one.
                                     A person answers for it: without one it can propose but never approve.
  answer-for-client --client <id> --responsible <email>
                                     Sets the person who answers for a client. For four eyes, a person and all of
                                     their clients count as one.
  invite-person --email <email> --roles <role,...> [--name <name>]
                                     Adds a person, who can then sign in. For a known person it sets the roles and ends
                                     the sessions. This is how the first person gets in. Where people sign in with
                                     passkeys, it prints the link that creates one: give it to that person only.
  list-clients                       Lists the operators' clients, without secrets.
  suspend-client --client <id>       Stops a client and its tokens until it is resumed.
  resume-client --client <id>        Lets a suspended client work again.
  revoke-client --client <id>        Ends a client for good, with its secrets, keys and tokens.
  update-client --client <id>        Changes what you give: --name, --scopes, --roles, --expires, --addresses, --keys.
  rotate-secret --client <id>        Revokes the client's secrets and creates a new one. With --keep-old-for the old one
                                     works for that many hours more. Tokens stay valid unless you add --revoke-tokens.
  revoke-tokens --client <id>        Revokes all tokens issued to the client.
  accept-price --pair <pair> --price <mid> --reason <text> --client <id>
                                     Accepts a price of a pair that has moved too far to be trusted without a person.
                                     It is recorded in the name of the client.
  reset-fix-sequence --session <name> --reason <text> --client <id>
                                     Sets the sequence numbers of a FIX session while the service is stopped: to 1, or
                                     to --next-sent and --next-received. It is recorded in the name of the client, like
                                     a reset of the running service.
  list-keys                          Lists the signing keys: the active one, the next, and those retired or revoked.
  rotate-key --purpose tokens|evidence --reason <text>
                                     Makes the next key sign now. The old key still verifies what it has signed.
  revoke-key --key <kid> --reason <text>
                                     Revokes a key that somebody else may have: it no longer verifies anything, and the
                                     next key signs at once.
  rewrap-keys                        Encrypts everything under FIRMQUOTE_KEY_ENCRYPTION_KEY that is encrypted under
                                     FIRMQUOTE_KEY_ENCRYPTION_KEY_PREVIOUS. You can stop it anywhere and start it again.
  export --format hledger            Writes the whole journal in hledger's format, with every balance as an assertion:
                                     "hledger check balancednoautoconversion accounts commodities ordereddates" then
                                     proves the books without this program.
  export --format audit|journal      Writes the audit trail or the journal with its seals and a signed head.
  verify                             Recomputes the seals of both in the database, and says of how many rows. If a row does
                                     not match its seal, names the first such row and exits with 1; with 2 if it cannot
                                     read them all.
  verify --file <file> --keys <file> Does the same for an exported file, without a database. The keys are the service's:
                                     /.well-known/jwks.json.
  archive-year --year <year> --output <folder>
                                     Writes a closed year, with nothing open in it, into a new folder: journal for hledger,
                                     trades, quotes with their evidence, deposits, statements, and the sealed logs.
  verify-archive --file <folder> --keys <file>
                                     Checks that an archive is as it was written, without a database. As with verify, 1 says
                                     that something does not match, and 2 that the file, folder or keys cannot be read.

Each command except export prints one line of JSON. A secret is shown once, by the command that creates it; only its hash
is kept. Get a token with it at <authUrl>/oauth/token.

All commands read the same settings as the service, from the environment. The service may be running, and follows within 5
seconds. The operator API offers the same: /v1/operator/clients, GET /v1/operator/ledger/export. Where there is no database
yet, only create-client and invite-person make one.

Options:
  --name <name>      Name of the client, at most 200 characters
  --client <id>      The client's id, cli_...
  --email <email>    The person's address
  --responsible <email>
                     The person who answers for the client; a new person is added with this address
  --scopes <list>, --roles <list>, --addresses <list>
                     Separated by commas; empty for none
  --expires <time>   When the client ends, such as 2027-01-31T12:00:00Z
  --keys <file>      A JSON Web Key Set with the client's public keys, for private_key_jwt
  --keep-old-for <hours>
                     How long the old secret still works
  --revoke-tokens    Also revokes all tokens issued to the client
  --purpose <name>   What the key signs: tokens or evidence
  --key <kid>        The kid of a key
  --pair <pair>      Six letters in market order, such as EURUSD
  --price <mid>      The correct mid price
  --reason <text>    Why, at most 200 characters
  --session <name>   Name of the session in the FIX session file
  --next-sent <n>, --next-received <n>
                     Number of the next message to the venue, and of the next one from it
  --stopped          The service is stopped, although its gateway did not close the file
  --format <format>  Format of the export: hledger, audit or journal
  --output <file>    New file for the export, by default standard output; new folder for an archive
  --year <year>      The year of an archive, such as 2025
  --help             This text
`;
