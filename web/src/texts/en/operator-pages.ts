import type { Format } from '../format.ts'
import { bans } from './bans.ts'
import { imports } from './imports.ts'
import { operator } from './operator.ts'
import { people } from './people.ts'

/** The English texts of the pages for operators, and of links to these pages. The sign-in page does not load them. */
export const operatorPages = (format: Format) => ({
  bans: bans(format),
  imports: imports(format),
  operator: operator(format),
  people: people(format),
})
