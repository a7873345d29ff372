import { wrongFormat } from '../../texts/faults.ts'
import { z } from 'zod'
import { hostOf, sourceKind } from '../source-kind.ts'
import { url } from '../source-settings.ts'

const schema = z.strictObject({
  kind: z.literal('VISIT_LINK'),
  /** The page to which the link leads. Every member sees it, so it is not secret. */
  target: url.refine((text) => URL.parse(text)?.protocol === 'https:', {
    error: 'must begin with https://',
    params: wrongFormat('https_url'),
  }),
})

/** A page that members open with a link of their own. Members who open it become holders. */
export const visitLink = sourceKind({ schema, act: 'visit', host: ({ target }) => hostOf(target) })
