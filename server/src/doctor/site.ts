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
    const values = { issuer: site.issuer }
    return production ? problem(name, 'url.not-set', values) : note(name, 'url.not-set', values)
  }
  const { issuer } = site
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(site.hostname)
  if (!site.secure && !isLoopback) return problem(name, 'url.not-https', { issuer })
  const response = await probe(options, { url: `${issuer}/.well-known/oauth-authorization-server` })
  if ('failed' in response) return note(name, 'url.unreachable', { issuer, reason: response.failed })
  const found = response.status === 200 ? metadataShape.safeParse(response.json).data?.issuer : undefined
  if (found === undefined) return problem(name, 'url.not-here', { issuer, status: response.status })
  if (found !== issuer) return problem(name, 'url.other-issuer', { issuer, found })
  return ok(name, 'url.ok', { issuer })
}

function examineProxies({ trustedProxies }: Config, site: Site): Finding {
  const name = 'Proxy headers'
  if (trustedProxies === false) return site.secure ? problem(name, 'proxies.missing') : ok(name, 'proxies.none')
  const everybody = trustedProxies.filter((range) => /\/0$/.test(range))
  if (everybody.length > 0) return problem(name, 'proxies.everyone', { ranges: everybody.join(', ') })
  return ok(name, 'proxies.ok', { ranges: trustedProxies.join(', ') })
}
