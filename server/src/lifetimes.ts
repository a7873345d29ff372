import { DAY, HOUR, MINUTE, SECOND } from './clock.ts'

/** How long things live, in milliseconds. Each line names what asks for the figure. */

/** A cursor answers for this long after its first page (the contract asks for at least 15 minutes). */
export const CURSOR_LIFETIME = 30 * MINUTE

/** The first page of a list is read anew after this, so that its cursors have at least 15 minutes left. */
export const FIRST_PAGE_LIFETIME = 10 * MINUTE

/** What no cursor can reach any more is swept after this; longer than CURSOR_LIFETIME by the slack of clocks and long requests. */
export const DEAD_ROW_LIFETIME = CURSOR_LIFETIME + 10 * MINUTE

/** A quota lease that nobody uses goes back after this, so that another instance can hand it out. */
export const QUOTA_LEASE_IDLE = SECOND

/** Usage figures are kept in memory this long before they are written. */
export const USAGE_FLUSH_INTERVAL = SECOND

/** Rows of quota windows are kept for this long after their window. */
export const QUOTA_WINDOW_RETENTION = 2 * DAY

/** When the database has said nothing for this long to someone who waits for it, it is asked whether it is there. */
export const DATABASE_SUSPICION = 2 * SECOND

/** It has this long to answer; then requests are refused at once until it does. */
export const DATABASE_PROBE = 3 * SECOND

/** What a token was used for is kept by day for this long: a year and the month before it. */
export const USAGE_RETENTION = 400 * DAY

/** Each of them stops the service in order; a terminal that is closed sends SIGHUP. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** On SIGTERM, running requests get this long to finish. */
export const DRAIN_TIMEOUT = 10 * SECOND

/** What has not ended by then, requests and all, is left as it is: so long after the notice of a stop the process ends. */
export const STOP_DEADLINE = 2 * DRAIN_TIMEOUT

/** A stop closes connections that have waited this long for their next request since it takes no new ones. */
export const LAST_SILENCE = SECOND

/** A database that is slower than this stands in the metrics as one that cannot be reached. */
export const LONGEST_LOOK = 2 * SECOND

/** Of a process that does not tell its metrics within this time only its totals are told; longer than it looks for them. */
export const LONGEST_READING = LONGEST_LOOK + SECOND

/** Workers are asked this often whether they hear. */
export const HEARTBEAT_INTERVAL = SECOND

/** A worker that has not responded for longer is replaced, as long as another one responds: it still receives connections. */
export const LONGEST_STANDSTILL = 5 * SECOND

/** The same when no other worker responds. No computation of the service takes that long. */
export const LONGEST_STANDSTILL_ALONE = 30 * SECOND

/** The whole head of a request has to be there within this time, also the first one of a connection. */
export const HEAD_TIMEOUT = 10 * SECOND

/** The whole request has to be there within this time; uploads of lists have rules of their own. */
export const REQUEST_TIMEOUT = 30 * SECOND

/** A connection that waits for its next request is closed after this: later than proxies do (nginx: 60 s). */
export const IDLE_CONNECTION = 72 * SECOND

/** A connection on which nothing moves is closed after this, whatever it waits for. */
export const CONNECTION_SILENCE = 75 * SECOND

/** A query that waits for its turn for this long is refused (503). */
export const MOST_WAIT_FOR_A_PLACE = SECOND / 2

/** What has not been answered after this, other than uploads of lists, is answered with 503. */
export const ANSWER_DEADLINE = 30 * SECOND

/** A replacement of a holder list that has stored nothing for this long counts as abandoned; its rows are swept. */
export const ABANDONED_REPLACEMENT = HOUR

/** The key of an award is remembered this long: after that the same key counts as a new award (docs/ingest.md). */
export const AWARD_KEY_RETENTION = 35 * DAY

/** An upload of a holder list that brings nothing, or far too little, for this long is given up. */
export const SILENT_UPLOAD = 30 * SECOND

/** While an import works on what it was sent, it says so this often (nginx waits 60 s for the next byte). */
export const IMPORT_HEARTBEAT = 5 * SECOND

/** An upload that has not been stored, or a ranking that has not been made after this, is not waited for any longer. */
export const LONGEST_UPLOAD = DAY

/** An upload that has waited this long for its turn is refused. */
export const MOST_PATIENCE = 30 * SECOND

/** Score samples are kept as they came for this long: the 30 days that a ranking looks back, and half as much to spare. */
export const SAMPLES_IN_FULL = 45 * DAY

/** After that one sample a user and day is kept, up to this age (docs/ranking.md). */
export const SAMPLE_HISTORY = 730 * DAY

/** Where the first members of a board stood is kept a day at a time for this long (docs/pages.md). */
export const RANK_HISTORY = 90 * DAY

/** The same stop signal that comes again within this time is not a second request to stop. */
export const SIGNAL_ECHO = SECOND

// Signing in (docs/oauth.md lists these)

/** Spec 5.2: the code expires after 10 minutes. */
export const CODE_LIFETIME = 10 * MINUTE

/** A spent or expired code is remembered this long, so that its replay is recognised. */
export const CODE_MEMORY = DAY

/** Contract 4: access tokens of apps with expiring tokens. */
export const ACCESS_TOKEN_LIFETIME = DAY

/** A refresh token that is not used for this long ends; each use starts the time anew. */
export const REFRESH_TOKEN_LIFETIME = 180 * DAY

/** Contract 4: a refresh token that comes again within this time is refused without ending the grant. */
export const REFRESH_GRACE = 10 * SECOND

/** The pages of one authorization request wait this long for the user. */
export const AUTHORIZATION_LIFETIME = 30 * MINUTE

/** Contract 5: a challenge of an identity kind. */
export const CHALLENGE_LIFETIME = 5 * MINUTE

/** The merge of two accounts, once both are proved, waits this long for its confirmation. */
export const MERGE_OFFER_LIFETIME = 5 * MINUTE

/** A browser session without any request ends after this. */
export const SESSION_IDLE_LIFETIME = 14 * DAY

/** A browser session ends after this at the latest. */
export const SESSION_LIFETIME = 90 * DAY

/** A browser that proved a mailbox is known as one that did for this long after the last time, at most. */
export const KNOWN_BROWSER_LIFETIME = 365 * DAY

/** What cannot be taken back, and operators' word on apps, need a sign-in that is at most this old (docs/oauth.md). */
export const FRESH_SIGN_IN = 60 * MINUTE

/** The old secret of an app stays valid this long after a rotation. */
export const OLD_SECRET_LIFETIME = DAY

/** An id_token proves a sign-in that has just happened. */
export const ID_TOKEN_LIFETIME = 60 * MINUTE

/** A signing key signs for this long; after that a new one is made. */
export const SIGNING_KEY_LIFETIME = 90 * DAY

/** A replaced signing key stays published this long: the id_token's lifetime and the caches of clients. */
export const SIGNING_KEY_OVERLAP = 2 * DAY

/** Last-use times are exact to this. */
export const LAST_USED_RESOLUTION = MINUTE

// Webhooks (docs/webhooks.md lists these)

/** The old secret of an endpoint signs beside the new one for this long after a rotation. */
export const OLD_WEBHOOK_SECRET_LIFETIME = DAY

/** A delivery takes this long at most, name look-up and answer included (Standard Webhooks: 15 to 30 seconds). */
export const WEBHOOK_TIMEOUT = 15 * SECOND

/** A delivery that has not been noted by then is taken as lost with its process, and made again. */
export const WEBHOOK_LEASE = 2 * WEBHOOK_TIMEOUT

/** An endpoint that has only failed for this long is disabled. */
export const WEBHOOK_GIVE_UP = 5 * DAY

/** Messages and their attempts stay in the log for this long. */
export const WEBHOOK_LOG_LIFETIME = 14 * DAY
