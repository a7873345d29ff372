/** A statement of the request path that does not name one distribution value, and why that is so. */
export interface Exception {
  /** What it is for, as docs/scale.md says it. */
  what: string
  text: RegExp
  /** `every node`: one table is asked on all nodes. `several keys`: tables of several keys in one statement. */
  asks: 'every node' | 'several keys'
}

/** Each of them is seen in the run of the test, or it goes. docs/scale.md repeats the list. */
export const exceptions: Exception[] = [
  {
    what: 'the figures of use, once a second for all tokens together, after the answers',
    text: /^INSERT INTO token_usage .* unnest/,
    asks: 'every node',
  },
  {
    what: 'the names of members who are new on a board',
    text: /FROM profiles WHERE address = ANY/,
    asks: 'every node',
  },
  { what: 'the passkeys of an account', text: /^select .* from "passkeys" where "account_id"/, asks: 'every node' },
  { what: 'the sessions of an account', text: /^select .* from "sessions" where "account_id"/, asks: 'every node' },
  {
    what: 'the other spellings of the addresses of an account, when its identities change',
    text: /FROM identity_aliases WHERE account_id/,
    asks: 'every node',
  },
  {
    what: 'the codes and grants of an account, when it withdraws its consent',
    text: /^delete from "(authorization_codes|grants)" where "account_id"/,
    asks: 'every node',
  },
  {
    what: 'the apps that an account has allowed, with their last use',
    text: /FROM consents WHERE account_id .* FROM grants/,
    asks: 'several keys',
  },
]

/** They name one value, but insert inside WITH, which Citus does in steps from the coordinator. */
export const inSteps: { what: string; text: RegExp }[] = [
  { what: 'the change of a board by awards', text: /UPDATE space_versions .* INSERT INTO board_entries/ },
  { what: 'the redemption of a code', text: /UPDATE authorization_codes SET spent_at .* INSERT INTO grants/ },
]
