import type { Format } from '../format.ts'
import { account } from './account.ts'
import { claim } from './claim.ts'
import { consent } from './consent.ts'
import { content } from './content.ts'
import { explore } from './explore.ts'
import { holders } from './holders.ts'
import { hooks } from './hooks.ts'
import { my } from './my.ts'
import { picker } from './picker.ts'
import { playground } from './playground.ts'
import { points } from './points.ts'
import { rules } from './rules.ts'
import { search } from './search.ts'
import { serverApi } from './server-api.ts'
import { shell } from './shell.ts'
import { signIn } from './sign-in.ts'
import { snapshots } from './snapshots.ts'
import { sources } from './sources.ts'
import { teams } from './teams.ts'

/** The English texts that every page loads. */
export const everyPage = (format: Format) => ({
  account: account(format),
  claim: claim(format),
  consent,
  content: content(format),
  explore: explore(format),
  holders: holders(format),
  hooks: hooks(format),
  my: my(format),
  picker: picker(format),
  playground: playground(format),
  points: points(format),
  rules: rules(format),
  search: search(format),
  serverApi: serverApi(format),
  shell,
  signIn: signIn(format),
  snapshots: snapshots(format),
  sources: sources(format),
  teams,
})
