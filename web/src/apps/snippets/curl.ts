import { inShell, type Integration } from './integration.ts'

/** Commands that redeem a code. The user signs in in the browser between them. */
export function redemptionByCurl({ issuer, clientId, redirectUri, scopes, publicClient }: Integration): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    code_challenge_method: 'S256',
  })
  const fields = [
    "-d 'grant_type=authorization_code'",
    `-d ${inShell(`client_id=${clientId}`)}`,
    ...(publicClient ? [] : ['--data-urlencode "client_secret=$QUESTBOARD_CLIENT_SECRET"']),
    `--data-urlencode ${inShell(`redirect_uri=${redirectUri}`)}`,
    '--data-urlencode "code=$code"',
    '-d "code_verifier=$verifier"',
  ]
  return `verifier=$(openssl rand -hex 32)
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=')
echo "Open this address. You return to an address with a code:"
echo ${inShell(`${issuer}/oauth?${query}`)}"&state=$(openssl rand -hex 16)&code_challenge=$challenge"
read -r -p 'code: ' code

curl ${inShell(`${issuer}/oauth/auth/2/token`)} \\
  ${fields.join(' \\\n  ')}`
}
