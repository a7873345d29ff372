/** A statement of the request path without a single distribution value, and the reason. */
export interface Exception {
  /** The purpose, as in docs/scale.md. */
  what: string
  text: RegExp
  /** `every node`: tables with one key are read on all nodes. `several keys`: the statement joins tables with different keys. */
  asks: 'every node' | 'several keys'
}

/** The test fails for an entry that no longer occurs. docs/scale.md repeats the list. */
export const exceptions: Exception[] = [
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
    what: 'the own addresses of an account, when it or an app uses a quest, a quiz, a visit, its ranks or **Find me**',
    text: /^select "alias" from "identity_aliases" where "account_id"/,
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
  {
    what: 'the accounts and addresses of a batch of completed quests',
    text: /FROM identity_(subjects|aliases) WHERE (subject|alias|account_id) = ANY/,
    asks: 'every node',
  },
  {
    what: 'the starboards and credentials of an ingest token that is limited to objects of its account',
    text: /FROM starboards WHERE \w+ = ANY .* owner_account_id = |FROM credentials c LEFT JOIN spaces s .* = ANY .*owner_account_id = /,
    asks: 'every node',
  },
  {
    what: 'the names and sources of the credentials of a quest, when a member checks its conditions',
    text: /FROM credentials c LEFT JOIN credential_sources s/,
    asks: 'every node',
  },
  {
    what: 'the earlier and the new participants and claims, when a batch completes several quests',
    text: /^INSERT INTO quest_(participants|claims) .* FROM unnest|^SELECT .* FROM quest_claims c JOIN unnest/,
    asks: 'every node',
  },
  {
    what: 'the quests that an account has completed',
    text: /FROM quest_claims WHERE account_id/,
    asks: 'every node',
  },
]

/** They have one value, but insert inside WITH, which Citus runs in steps from the coordinator. */
export const inSteps: { what: string; text: RegExp }[] = [
  { what: 'the redemption of a code', text: /UPDATE authorization_codes SET spent_at .* INSERT INTO grants/ },
]

/** Declared statements that are executed on every node, whatever their values. */
export const everyNode: ReadonlySet<string> = new Set([
  'claims.names-1', // the other spellings of the addresses of accounts
])
