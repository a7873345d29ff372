/**
 * The public address of this installation. It comes only from the configuration, never from the Host header of a
 * request.
 */
export interface Site {
  /** OAuth issuer and base of all endpoints: no slash at the end. */
  issuer: string
  origin: string
  /** Host and port, as a wallet shows it. */
  domain: string
  /** Host without port: WebAuthn's relying party. */
  hostname: string
  /** Whether the public address is https. Only then, cookies have the prefix `__Host-` and the attribute Secure. */
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
