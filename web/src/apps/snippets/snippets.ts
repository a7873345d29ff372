import { pageInHtml } from './browser.ts'
import { redemptionByCurl } from './curl.ts'
import type { Integration } from './integration.ts'
import { serverInPython } from './python.ts'
import { pageInTypeScript, serverInTypeScript } from './typescript.ts'

export type SnippetName = 'browser' | 'typescript' | 'python' | 'curl'

/** The programs for an app, in the order of their tabs. A native app has no page and no server. */
export function snippetsOf(app: Integration): readonly { name: SnippetName; code: string }[] {
  const curl = { name: 'curl' as const, code: redemptionByCurl(app) }
  if (!app.redirectUri.startsWith('http')) return [curl]
  if (app.publicClient)
    return [{ name: 'browser', code: pageInHtml(app) }, { name: 'typescript', code: pageInTypeScript(app) }, curl]
  return [{ name: 'typescript', code: serverInTypeScript(app) }, { name: 'python', code: serverInPython(app) }, curl]
}
