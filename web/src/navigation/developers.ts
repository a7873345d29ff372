import { hooks, serverApi, shell as texts } from '../texts/index.ts'
import { page, type PageGroup } from './page.ts'

const base = '/settings/server-api'

export const developers: PageGroup = {
  title: texts.groups.developers,
  // Most accounts are members of communities, and never use these pages.
  isFolded: ({ operator }) => !operator,
  pages: [
    page({
      path: base,
      title: texts.serverApi,
      icon: 'key',
      keywords: `${serverApi.tokens.heading} ${serverApi.tokens.generate} ${serverApi.tokens.keywords}`,
      load: () => import('../server-api/tokens.tsx'),
    }),
    page({
      path: `${base}/tokens/:id`,
      title: serverApi.requests.token,
      parent: base,
      load: () => import('../server-api/token.tsx'),
    }),
    page({
      path: `${base}/usage`,
      title: serverApi.usage.title,
      icon: 'chart',
      keywords: serverApi.usage.today,
      load: () => import('../server-api/usage.tsx'),
    }),
    page({
      path: `${base}/apps`,
      title: serverApi.apps.title,
      icon: 'cube',
      keywords: serverApi.apps.apply,
      load: () => import('../apps/apps.tsx'),
    }),
    page({
      path: `${base}/apps/:id/:tab?`,
      title: serverApi.apps.one,
      parent: `${base}/apps`,
      load: () => import('../apps/app.tsx'),
    }),
    page({
      path: `${base}/webhooks`,
      title: hooks.webhooks.title,
      icon: 'webhook',
      keywords: hooks.webhooks.add,
      load: () => import('../server-api/webhooks.tsx'),
    }),
    page({
      path: `${base}/webhooks/:webhook/deliveries/:delivery`,
      title: hooks.delivery.one,
      parent: `${base}/webhooks`,
      load: () => import('../server-api/delivery.tsx'),
    }),
    page({
      path: `${base}/ingest-tokens`,
      title: hooks.ingest.title,
      icon: 'upload',
      load: () => import('../server-api/ingest-tokens.tsx'),
    }),
  ],
  elsewhere: [
    { href: '/playground', title: texts.playground, icon: 'terminal' },
    { href: '/docs', title: texts.manual, icon: 'book' },
  ],
}
