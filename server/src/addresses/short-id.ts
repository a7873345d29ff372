/** What boards show in place of a name (`shortId` of ranking/boards.queries.ts). Names of members can have this form, too. */
export const SHORT_ID = /^[0-9a-f]{10}$/i
