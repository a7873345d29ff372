/** The first query of somebody new; README.md and the quick start ask the same. */
export const DEMO_QUERY =
  '{ space(id: 40) { name loyaltyPointsRanks { totalCount list { rank points address { username } } } } }'

/** What is printed when the service is ready. @param token shows the demo data, when there are any */
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
