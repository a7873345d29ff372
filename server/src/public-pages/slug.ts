/** The last part of the address of a space's page. */
export const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/

export const SLUG_RULE = 'must be 1 to 40 characters of a-z, 0-9 and -, without - at the ends, or null'
