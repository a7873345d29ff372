/** The first query of somebody new; README.md and the quick start ask the same. */
export const DEMO_QUERY =
  '{ space(id: 40) { name loyaltyPointsRanks { totalCount list { rank points address { username } } } } }'

interface Ready {
  /** ISO 8601. */
  time: string
  url: string
  /** The file with the demo token; the token itself stays out of logs. */
  demoTokenFile: string | undefined
}

/** The line on standard output, when that is no terminal, that says that the service is ready: JSON like the log. */
export function readyLine({ time, url, demoTokenFile }: Ready): string {
  return `${JSON.stringify({ level: 30, time, msg: 'ready', url, demo_token_file: demoTokenFile })}\n`
}

/** The text on a terminal when the service is ready. @param token reads the demo data, if there is any */
export function greeting(url: string, token: string | undefined): string {
  const paths = `
Questboard is ready.

  playground  ${url}/${token === undefined ? '' : `#token=${token}`}
  endpoint    POST ${url}/query
  schema      ${url}/schema.graphql
  manual      ${url}/docs
`
  if (token === undefined) return `${paths}\nbin/questboard token create --name NAME makes a token for it.\n`
  return `${paths}
demo token: ${token}

curl -s ${url}/query \\
  -H 'content-type: application/json' \\
  -H 'access-token: ${token}' \\
  -d '{"query":"${DEMO_QUERY}"}'

`
}
