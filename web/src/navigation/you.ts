import { account, my, shell as texts } from '../texts/index.ts'
import { page, type PageGroup } from './page.ts'

/** Pages about the signed-in user. */
export const you: PageGroup = {
  title: texts.groups.you,
  pages: [
    page({
      path: '/my',
      title: my.title,
      icon: 'target',
      keywords: [my.ranks.title, my.quests.title, my.history.title].join(' '),
      load: () => import('../my/page.tsx'),
    }),
    page({
      path: '/account',
      title: texts.account,
      icon: 'user',
      keywords: [account.identities.title, account.profile.title, account.merge.title, account.data.title].join(' '),
      load: () => import('../account/page.tsx'),
    }),
    page({
      path: '/account/apps',
      title: account.apps.title,
      icon: 'apps',
      load: () => import('../account/authorized-apps.tsx'),
    }),
    page({
      path: '/account/security',
      title: account.security.title,
      icon: 'shield',
      keywords: `${account.security.sessions} ${account.security.log}`,
      load: () => import('../account/security.tsx'),
    }),
  ],
}
