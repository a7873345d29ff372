import { pattern } from '../../text/fault-of-issue.ts'
import { z } from 'zod'
import { sourceKind } from '../source-kind.ts'
import { live } from '../source-settings.ts'

const domain = z
  .string()
  .max(253)
  .regex(
    pattern('domain', /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/),
    'must be a domain in lower case, such as example.org; internationalized domains in the form xn--…',
  )

const schema = z.strictObject({
  ...live,
  kind: z.literal('EMAIL_DOMAIN'),
  domains: z.array(domain).min(1).max(100),
  /** Whether subdomains count, too. */
  subdomains: z.boolean().default(false),
})

/** Mail addresses of a domain. Only addresses that an account has proved are checked (`identityKind`). */
export const emailDomain = sourceKind({
  schema,
  identityKind: 'Email',
  host: ({ domains }) => domains[0] ?? '',
  check: async (_, { domains, subdomains }, address) => {
    const own = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
    return domains.some((one) => own === one || (subdomains && own.endsWith(`.${one}`)))
  },
})
