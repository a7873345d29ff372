/** The first query of README.md and the quick start. */
export const DEMO_QUERY =
  '{ space(id: 40) { name loyaltyPointsRanks { totalCount list { rank points address { username } } } } }'

interface Ready {
  /** ISO 8601. */
  time: string
  url: string
  /** The file with the demo token; the token itself is not logged. */
  demoTokenFile: string | undefined
  /** Instructions to create the first operator, if the installation has none. The link itself is not logged. */
  firstOperator: string | undefined
}

/**
 * The JSON line on standard output that reports that the service is ready; used if standard output is not a terminal.
 */
export function readyLine({ time, url, demoTokenFile, firstOperator }: Ready): string {
  const more = { demo_token_file: demoTokenFile, first_operator: firstOperator }
  return `${JSON.stringify({ level: 30, time, msg: 'ready', url, ...more })}\n`
}

/**
 * The text on a terminal when the service is ready.
 * @param token the demo token, if any
 * @param invitation the one-time link for the first operator, if the installation has no operator
 */
export function greeting(url: string, token: string | undefined, invitation?: string): string {
  const paths = `
Questboard is ready.

  home        ${url}
  playground  ${url}/playground${token === undefined ? '' : `#token=${token}`}
  endpoint    POST ${url}/query
  schema      ${url}/schema.graphql
  manual      ${url}/docs
${invitation === undefined ? '' : `\nfirst operator: open this link and sign in; it works once, for a day:\n  ${invitation}\n`}`
  if (token === undefined) return `${paths}\nbin/questboard token create --name NAME creates a token for it.\n`
  return `${paths}
demo token: ${token}

curl -s ${url}/query \\
  -H 'content-type: application/json' \\
  -H 'access-token: ${token}' \\
  -d '{"query":"${DEMO_QUERY}"}'

`
}
