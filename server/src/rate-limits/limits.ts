/**
 * At most `max` attempts of a network, an account, an app or a host in each fixed window, counted over all processes.
 * Limits of server tokens are in access/quota.ts.
 */
export interface RateLimit {
  name: string
  max: number
  seconds: number
}

/**
 * Failed client authentications by network, and by app from any network. Above the limit wrong secrets get 429; correct
 * ones still pass, so that strangers cannot lock an app out.
 */
export const clientFailuresByNetwork: RateLimit = { name: 'client-failure-address', max: 30, seconds: 60 }
export const clientFailuresByApp: RateLimit = { name: 'client-failure-app', max: 100, seconds: 60 }
export const authorizationsByNetwork: RateLimit = { name: 'authorize', max: 600, seconds: 60 }
/** Long authorization requests that must be stored; limits the storage that one network can use. */
export const longAuthorizationsByNetwork: RateLimit = { name: 'authorize-long', max: 60, seconds: 60 }
/** Fetched metadata documents of clients: by network, and unknown ones of a host, which strangers could have flooded. */
export const metadataByNetwork: RateLimit = { name: 'client-metadata', max: 20, seconds: 60 }
export const metadataOfHost: RateLimit = { name: 'client-metadata-host', max: 60, seconds: 60 }
/** Recorded refused sign-ins per account, so that strangers cannot fill its audit log. */
export const refusalsByAccount: RateLimit = { name: 'sign-in-refused', max: 20, seconds: 3600 }
export const challengesByNetwork: RateLimit = { name: 'challenge', max: 120, seconds: 60 }
/** Further challenges after the limit of the network, for a browser that has proved this mailbox before. */
export const challengesByKnownBrowser: RateLimit = { name: 'challenge-known-browser', max: 10, seconds: 60 }
/** Wrong mail codes of a network. Above the limit, the second wrong attempt ends a code. */
export const refusedCodesByNetwork: RateLimit = { name: 'mail-code', max: 60, seconds: 3600 }
export const applicationsByAccount: RateLimit = { name: 'application', max: 20, seconds: 86_400 }
/** New and changed URLs of webhooks, since each causes DNS queries and connections. */
export const webhookPlacesByAccount: RateLimit = { name: 'webhook-place', max: 20, seconds: 3600 }

/** Test messages and repeated deliveries, since each is a request to another machine. */
export const webhookSendsByAccount: RateLimit = { name: 'webhook-send', max: 60, seconds: 3600 }

/** Tests of sources, since each causes requests to another machine. */
export const sourceTestsByAccount: RateLimit = { name: 'source-test', max: 60, seconds: 3600 }

/** Reads of public snapshots, which need no session. */
export const snapshotReadsByNetwork: RateLimit = { name: 'snapshot-read', max: 600, seconds: 60 }

/** Previews and requests of snapshots by teams of spaces, since each reads a whole list. */
export const snapshotsByAccount: RateLimit = { name: 'snapshot', max: 60, seconds: 3600 }

/** Look-ups of members of snapshots on the pages, since each signs a statement. */
export const snapshotLookUpsByAccount: RateLimit = { name: 'snapshot-look-up', max: 600, seconds: 60 }

/** Searches from the pages: one for each pause while a user types. */
export const searchesByAccount: RateLimit = { name: 'search', max: 120, seconds: 60 }

/** Public pages. They use the query path without a token, so no quota limits them. */
export const publicPagesByNetwork: RateLimit = { name: 'community-page', max: 600, seconds: 60 }

/** Images of public pages for link previews. One costs about a quarter of a second of a core, unless it is in memory. */
export const shareImagesByNetwork: RateLimit = { name: 'share-image', max: 120, seconds: 60 }

/** Uploaded logos of spaces. Drawing one costs about a tenth of a second of a core. */
export const logosByAccount: RateLimit = { name: 'space-logo', max: 30, seconds: 3600 }

/** Reads of logos. A first visit of the home page reads 24, and many visitors can share one address. */
export const logoReadsByNetwork: RateLimit = { name: 'logo-read', max: 6000, seconds: 60 }

/** Reads of uploaded pictures, which need no session. */
export const avatarReadsByNetwork: RateLimit = { name: 'avatar-read', max: 1200, seconds: 60 }

/** Checks of invitations for operators, which need no session. */
export const invitationReadsByNetwork: RateLimit = { name: 'operator-invitation', max: 120, seconds: 60 }

/** Claims of quests, since each may query APIs of credentials. */
export const claimsByAccount: RateLimit = { name: 'claim', max: 60, seconds: 60 }

/** Readiness for a quest, and lists of own quests: many reads, and queries to APIs. */
export const questReadsByAccount: RateLimit = { name: 'quest-read', max: 120, seconds: 60 }

/** Checks at the sources of credentials on demand, since each is a request to another machine. */
export const verificationsByAccount: RateLimit = { name: 'verify', max: 20, seconds: 60 }
export const verificationsBySource: RateLimit = { name: 'verify-source', max: 120, seconds: 60 }
