/** How users reach this installation. It comes from the configuration alone, never from a request's Host header. */
export interface Site {
  /** OAuth issuer and base of all endpoints: no slash at the end. */
  issuer: string
  origin: string
  /** Host and port, as a wallet shows it. */
  domain: string
  /** Host without port: WebAuthn's relying party. */
  hostname: string
  /** Cookies are `__Host-` and Secure exactly when users come by https. */
  secure: boolean
}

export function siteOf(config: { publicUrl: string | undefined; port: number }): Site {
  const issuer = config.publicUrl ?? `http://localhost:${config.port}`
  const url = new URL(issuer)
  return {
    issuer,
    origin: url.origin,
    domain: url.host,
    hostname: url.hostname,
    secure: url.protocol === 'https:',
  }
}

export const PLATFORM = 'Questboard'
