import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Site } from '../settings/site.ts'
import { probe, type ProbeOptions } from './probe.ts'
import { type Finding, note, ok, problem } from './finding.ts'

const metadataShape = z.object({ issuer: z.string() })

/** Checks the public URL and the trusted proxies. */
export function examineSite(options: ProbeOptions, config: Config, site: Site): Promise<Finding>[] {
  return [examineAddress(options, config, site), Promise.resolve(examineProxies(config, site))]
}

async function examineAddress(options: ProbeOptions, { publicUrl, production }: Config, site: Site): Promise<Finding> {
  const name = 'Public URL'
  if (publicUrl === undefined) {
    const says = `QUESTBOARD_PUBLIC_URL is not set: pages, redirects and wallets use ${site.issuer}`
    const advice = 'Set it to the https address that users see.'
    return production ? problem(name, says, advice) : note(name, says, advice)
  }
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(site.hostname)
  if (!site.secure && !isLoopback)
    return problem(
      name,
      `${site.issuer} is not https: passkeys and wallets refuse it, and cookies are not protected`,
      'Put a proxy that speaks TLS in front and set QUESTBOARD_PUBLIC_URL to its https address.',
    )
  const response = await probe(options, { url: `${site.issuer}/.well-known/oauth-authorization-server` })
  if ('failed' in response)
    return note(
      name,
      `${site.issuer} is unreachable from here: ${response.failed}`,
      'Start the service, or check the proxy.',
    )
  const issuer = response.status === 200 ? metadataShape.safeParse(response.json).data?.issuer : undefined
  if (issuer !== site.issuer)
    return problem(
      name,
      issuer === undefined
        ? `${site.issuer} responds with ${response.status} and is not this service`
        : `${site.issuer} has the issuer ${issuer}`,
      'Point the proxy at this service, with the whole path, and use the same QUESTBOARD_PUBLIC_URL for all instances.',
    )
  return ok(name, `${site.issuer} leads here`)
}

function examineProxies({ trustedProxies }: Config, site: Site): Finding {
  const name = 'Proxy headers'
  if (trustedProxies === false) {
    if (!site.secure) return ok(name, 'no proxy is trusted; the address of the connection identifies a client')
    return problem(
      name,
      'users connect by https, so through a proxy, but no proxy is trusted: all clients share one address and its limits',
      'Set QUESTBOARD_TRUSTED_PROXIES to the addresses of the proxy.',
    )
  }
  const everybody = trustedProxies.filter((range) => /\/0$/.test(range))
  if (everybody.length > 0)
    return problem(
      name,
      `${everybody.join(', ')} trusts all clients, which can then claim any address and bypass all limits`,
      'Set QUESTBOARD_TRUSTED_PROXIES to only the addresses of the proxy.',
    )
  return ok(name, `X-Forwarded-For is trusted from ${trustedProxies.join(', ')}`)
}
