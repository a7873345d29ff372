import { DAY, HOUR, MINUTE, SECOND } from './clock.ts'

/** Lifetimes and timeouts in milliseconds, with their reasons. */

/** Minimum lifetime of cursors after their first page. The contract requires 15 minutes. */
export const CURSOR_LIFETIME = 30 * MINUTE

/** First pages are cached until a period of this length ends; resolvers/traversal-time.ts has the reason. */
export const FIRST_PAGE_LIFETIME = 5 * MINUTE

/** Rows that no cursor can reach are deleted after this; the margin covers clock differences and long requests. */
export const DEAD_ROW_LIFETIME = CURSOR_LIFETIME + FIRST_PAGE_LIFETIME + 5 * MINUTE

/**
 * The unused units of a quota lease are returned after this, so that other processes can spend and count them. The check
 * runs at the same interval, so the return comes within twice this time.
 */
export const QUOTA_LEASE_LIFETIME = SECOND

/** The copy of the metadata document of a client is used for this long. */
export const CLIENT_METADATA_LIFETIME = 10 * MINUTE

/** Timeout for the metadata document of a client. It is short, because a browser waits for the document during a sign-in. */
export const CLIENT_METADATA_TIMEOUT = 5 * SECOND

/** Retention of unused copies of metadata documents. */
export const UNUSED_CLIENT_RETENTION = DAY

/** Lifetime of the link to a page that a member visits. It is short, so that members do not pass the link on. */
export const VISIT_LINK_LIFETIME = 15 * MINUTE

/** The search reads again which spaces are the largest after this. */
export const LARGEST_SPACES_LIFETIME = MINUTE

/** The home page reads the communities again after this. */
export const COMMUNITIES_LIFETIME = 15 * SECOND

/** The health page reads the requests of all tokens again after this; each read counts the rows of a month. */
export const ALL_USAGE_LIFETIME = 30 * SECOND

/** Caches may use a response to `GET /query` for this long. */
export const PUBLIC_RESPONSE_LIFETIME = 30 * SECOND

/** Retention of persisted documents after their last use. */
export const PERSISTED_DOCUMENT_RETENTION = 30 * DAY

/** Usage counts are written at this interval. */
export const USAGE_FLUSH_INTERVAL = SECOND

/** The last requests of tokens are written at this interval. */
export const REQUEST_LOG_FLUSH_INTERVAL = 2 * SECOND

/**
 * Pause after a failed write of the last uses of ingest tokens. While a node of a cluster hangs, each attempt leaves a
 * statement at the coordinator that nothing can cancel.
 */
export const TOKEN_USES_PAUSE = 30 * SECOND

/** A stop waits no longer than this for the last uses of ingest tokens. */
export const TOKEN_USES_CLOSE_TIMEOUT = 2 * SECOND

/** Retention of the last requests of a token. */
export const REQUEST_LOG_RETENTION = 7 * DAY

/** Retention of rows of quota windows after their end. */
export const QUOTA_WINDOW_RETENTION = HOUR

/** If a waiting request has received nothing from the database for this long, the database is probed. */
export const DATABASE_SILENCE_TIMEOUT = 2 * SECOND

/** Timeout of the probe; after it, requests are rejected until the database responds. */
export const DATABASE_PROBE = 3 * SECOND

/** Retention of daily usage: a year and a month. */
export const USAGE_RETENTION = 400 * DAY

/** Signals after which the service finishes its requests and stops. A closed terminal sends SIGHUP. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Running requests get this long to finish after SIGTERM. */
export const DRAIN_TIMEOUT = 10 * SECOND

/** The process exits this long after the stop notice, even if requests are still running. */
export const STOP_DEADLINE = 2 * DRAIN_TIMEOUT

/** During a stop, connections that have been idle for this long are closed. */
export const STOP_IDLE_TIMEOUT = SECOND

/** If the database is slower than this, metrics report it as unreachable. */
export const METRICS_QUERY_TIMEOUT = 2 * SECOND

/** Timeout for the metrics of a worker, after which only its totals are reported; longer than METRICS_QUERY_TIMEOUT. */
export const WORKER_METRICS_TIMEOUT = METRICS_QUERY_TIMEOUT + SECOND

/** Interval of heartbeats of workers. */
export const HEARTBEAT_INTERVAL = SECOND

/** A worker that has not responded for this long is replaced if another worker responds, because it still gets connections. */
export const MAX_UNRESPONSIVE = 10 * SECOND

/** The same when no other worker responds. No computation of the service takes that long. */
export const MAX_UNRESPONSIVE_ALONE = 30 * SECOND

/** Timeout for the head of a request, including the first one of a connection. */
export const HEAD_TIMEOUT = 10 * SECOND

/** Timeout for a whole request; uploads have other limits. */
export const REQUEST_TIMEOUT = 30 * SECOND

/** Idle connections are closed after this. Proxies must close them earlier (nginx: after 60 s). */
export const IDLE_CONNECTION = 72 * SECOND

/** Connections without any data transfer are closed after this. */
export const CONNECTION_TIMEOUT = 75 * SECOND

/** Queries that wait longer than this for their turn get 503. */
export const MAX_QUERY_WAIT = SECOND / 2

/**
 * Requests without a body that take longer than this get 503. Of a request with a body, only the upload is limited, because
 * Fastify ends its timer when the body has been read.
 */
export const ANSWER_DEADLINE = 30 * SECOND

/** Interval at which the versions of live boards are read; a part of the half second in which an award is shown. */
export const LIVE_CHECK_INTERVAL = SECOND / 10

/** Pause after a failed read of a live board. */
export const LIVE_RETRY = SECOND

/** Streams without events get a comment at this interval; shorter than timeouts of proxies (nginx: 60 s). */
export const LIVE_BEAT = 15 * SECOND

/** If a client does not read from its stream for this long, the stream is closed. */
export const LIVE_STALLED = 30 * SECOND

/** Streams end after this, so that clients spread over new processes. */
export const LIVE_STREAM_LIFETIME = HOUR

/** Streams of a revoked token end within this time. */
export const LIVE_TOKEN_CHECK = 10 * SECOND

/** A replacement of a holder list without progress for this long counts as abandoned. */
export const ABANDONED_REPLACEMENT = HOUR

/** Retention of award keys; after it, the same key is a new award (docs/ingest.md). */
export const AWARD_KEY_RETENTION = 35 * DAY

/** Retention of checks of one identity: the longest `cacheSeconds` of a source, and longer than any synchronization. */
export const CHECK_RETENTION = DAY

/** Uploads without sufficient progress for this long are aborted. */
export const SILENT_UPLOAD = 30 * SECOND

/** Interval of progress lines during an import (nginx times out after 60 s without data). */
export const IMPORT_HEARTBEAT = 5 * SECOND

/** Timeout of an upload or a ranking. */
export const UPLOAD_TIMEOUT = DAY

/** Timeout of a change of a list of holders. Its size is limited, unlike that of other uploads. */
export const LIST_CHANGE_TIMEOUT = 5 * MINUTE

/** Uploads that wait longer than this for their turn are rejected. */
export const MAX_UPLOAD_WAIT = 30 * SECOND

/** Score samples are kept unthinned for this long: the 30 days that a ranking compares, and a margin. */
export const SAMPLES_IN_FULL = 45 * DAY

/** Afterwards one sample per user and day is kept, up to this age (docs/ranking.md). */
export const SAMPLE_HISTORY = 730 * DAY

/** Retention of daily ranks (docs/pages.md). */
export const RANK_HISTORY = 90 * DAY

/** The same stop signal within this time is a duplicate, not a second request to stop. */
export const SIGNAL_ECHO = SECOND

// Sign-in (docs/oauth.md lists these)

/** Authorization codes expire after this. */
export const CODE_LIFETIME = 10 * MINUTE

/** Used and expired codes are kept for this long, to detect a second use. */
export const CODE_MEMORY = DAY

/** Access tokens of apps with expiring tokens. */
export const ACCESS_TOKEN_LIFETIME = DAY

/** Refresh tokens expire if unused for this long. */
export const REFRESH_TOKEN_LIFETIME = 180 * DAY

/** A refresh token reused within this time is refused without revoking the grant. */
export const REFRESH_GRACE = 10 * SECOND

/** Lifetime of an authorization request that waits for the user. */
export const AUTHORIZATION_LIFETIME = 30 * MINUTE

export const CHALLENGE_LIFETIME = 5 * MINUTE

/** Lifetime of a merge that waits for confirmation. */
export const MERGE_OFFER_LIFETIME = 5 * MINUTE

/** Sessions expire if idle for this long. */
export const SESSION_IDLE_LIFETIME = 14 * DAY

/** Maximum lifetime of a session. */
export const SESSION_LIFETIME = 90 * DAY

/** A browser that proved a mailbox is remembered for at most this long. */
export const KNOWN_BROWSER_LIFETIME = 365 * DAY

/** Lifetime of the link for the first operator, which the service prints at its start. */
export const FIRST_OPERATOR_LINK_LIFETIME = DAY

/** Lifetime of the links of `questboard operator invite`: long enough to send one to a colleague. */
export const OPERATOR_LINK_LIFETIME = 7 * DAY

/** Lifetime of invitations to the team of a space. */
export const TEAM_LINK_LIFETIME = 7 * DAY

/** Irreversible changes, and decisions about apps, require a sign-in within this time (docs/oauth.md). */
export const FRESH_SIGN_IN = 60 * MINUTE

/** The previous secret of an app remains valid for this long. */
export const OLD_SECRET_LIFETIME = DAY

export const ID_TOKEN_LIFETIME = 60 * MINUTE

/** Signing keys are rotated after this. */
export const SIGNING_KEY_LIFETIME = 90 * DAY

/** A replaced signing key stays published for this long, because id_tokens are still valid, and clients cache keys. */
export const SIGNING_KEY_OVERLAP = 2 * DAY

/** Lifetime of a logout token; OpenID Connect Back-Channel Logout recommends at most two minutes. */
export const LOGOUT_TOKEN_LIFETIME = 2 * MINUTE

/** Lifetime of a signed statement; shorter than SIGNING_KEY_OVERLAP, so that its key is published all the time. */
export const STATEMENT_LIFETIME = DAY

/** Resolution of last-use times. */
export const LAST_USED_RESOLUTION = MINUTE

// Webhooks (docs/webhooks.md lists these)

/** The previous secret of a webhook also signs for this long. */
export const OLD_WEBHOOK_SECRET_LIFETIME = DAY

/** Timeout of a delivery including name resolution (Standard Webhooks: 15 to 30 seconds). */
export const WEBHOOK_TIMEOUT = 15 * SECOND

/**
 * A delivery of a webhook or logout token without a recorded result after this time is repeated; its process may have
 * crashed.
 */
export const DELIVERY_LEASE = 2 * WEBHOOK_TIMEOUT

/** A webhook whose deliveries have all failed for this long is disabled. */
export const WEBHOOK_DISABLE_AFTER = 5 * DAY

/** Retention of messages and attempts. */
export const WEBHOOK_LOG_LIFETIME = 14 * DAY
