import type { Texts } from '../en/index.ts'
import type { Format } from '../format.ts'
import { account } from './account.ts'
import { consent } from './consent.ts'
import { explore } from './explore.ts'
import { hooks } from './hooks.ts'
import { operator } from './operator.ts'
import { playground } from './playground.ts'
import { serverApi } from './server-api.ts'
import { shell } from './shell.ts'
import { signIn } from './sign-in.ts'

/** The German catalogue. */
export const german = (format: Format): Texts => ({
  account: account(format),
  consent,
  explore: explore(format),
  hooks: hooks(format),
  operator: operator(format),
  playground: playground(format),
  serverApi: serverApi(format),
  shell,
  signIn: signIn(format),
})
