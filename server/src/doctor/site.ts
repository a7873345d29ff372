import { z } from 'zod'
import type { Config } from '../config.ts'
import type { Site } from '../settings/site.ts'
import { ask, type Asking } from './ask.ts'
import { type Finding, note, ok, problem } from './finding.ts'

const metadataShape = z.object({ issuer: z.string() })

/** The address under which users come, and whom the service believes about callers' addresses. */
export function examineSite(asking: Asking, config: Config, site: Site): Promise<Finding>[] {
  return [examineAddress(asking, config, site), Promise.resolve(examineProxies(config, site))]
}

async function examineAddress(asking: Asking, { publicUrl, production }: Config, site: Site): Promise<Finding> {
  const name = 'Public URL'
  if (publicUrl === undefined) {
    const says = `QUESTBOARD_PUBLIC_URL is not set: pages, redirects and wallets name ${site.issuer}`
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
  const asked = await ask(asking, { url: `${site.issuer}/.well-known/oauth-authorization-server` })
  if ('failed' in asked)
    return note(
      name,
      `${site.issuer} is not reached from here: ${asked.failed}`,
      'Start the service, or check the proxy.',
    )
  const issuer = asked.status === 200 ? metadataShape.safeParse(asked.json).data?.issuer : undefined
  if (issuer !== site.issuer)
    return problem(
      name,
      issuer === undefined
        ? `${site.issuer} answers ${asked.status}, and is not this service`
        : `${site.issuer} calls itself ${issuer}`,
      'Point the proxy at this service, with the whole path, and give all instances the same QUESTBOARD_PUBLIC_URL.',
    )
  return ok(name, `${site.issuer} leads here`)
}

function examineProxies({ trustedProxies }: Config, site: Site): Finding {
  const name = 'Proxy headers'
  if (trustedProxies === false) {
    if (!site.secure) return ok(name, 'no proxy is trusted; callers are known by their connections')
    return problem(
      name,
      'users come by https, so through a proxy, but no proxy is trusted: all of them look like one caller and share its limits',
      'Set QUESTBOARD_TRUSTED_PROXIES to the addresses of the proxy.',
    )
  }
  const everybody = trustedProxies.filter((range) => /\/0$/.test(range))
  if (everybody.length > 0)
    return problem(
      name,
      `${everybody.join(', ')} trusts every caller, who can then name any address and escape all limits`,
      'Name only the addresses of the proxy in QUESTBOARD_TRUSTED_PROXIES.',
    )
  return ok(name, `X-Forwarded-For is believed from ${trustedProxies.join(', ')}`)
}
