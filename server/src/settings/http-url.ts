import { z } from 'zod'

/** A setting that is a base URL: http or https, kept without a slash at its end. */
export const httpUrl = (example: string) =>
  z
    .url({ protocol: /^https?$/, error: `must be an http or https URL such as ${example}` })
    .transform((url) => url.replace(/\/+$/, ''))
