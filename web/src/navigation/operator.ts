import { shell, snapshots } from '../texts/index.ts'
import { bans, imports, operator as texts, people } from '../texts/operator-pages.ts'
import { page, type PageGroup } from './page.ts'

const list = '/operator/people'
const imported = '/operator/import'

/** Pages for accounts that run the installation. */
export const operator: PageGroup = {
  title: shell.groups.operator,
  isFor: ({ operator }) => operator,
  denied: texts.onlyOperators,
  pages: [
    page({
      path: '/operator',
      title: texts.overview.title,
      icon: 'inbox',
      keywords: texts.inbox.title,
      load: () => import('../operator/overview.tsx'),
    }),
    page({
      path: '/operator/apps',
      title: texts.apps.title,
      icon: 'review',
      load: () => import('../operator/app-reviews.tsx'),
    }),
    page({
      path: list,
      title: people.title,
      icon: 'users',
      load: () => import('../operator/people.tsx'),
    }),
    page({
      path: '/operator/people/address',
      title: people.addressData.title,
      parent: list,
      load: () => import('../operator/address-data.tsx'),
    }),
    page({
      path: '/operator/people/:id',
      title: people.one,
      parent: list,
      load: () => import('../operator/person.tsx'),
    }),
    page({
      path: '/operator/bans',
      title: bans.title,
      icon: 'ban',
      load: () => import('../operator/bans.tsx'),
    }),
    page({
      path: '/operator/plans',
      title: texts.plans.title,
      icon: 'gauge',
      load: () => import('../operator/plans.tsx'),
    }),
    page({
      path: '/operator/syncs',
      title: texts.syncs.title,
      icon: 'refresh',
      load: () => import('../operator/syncs.tsx'),
    }),
    page({
      path: '/operator/snapshots',
      title: snapshots.title,
      icon: 'camera',
      load: () => import('../snapshots/of-installation.tsx'),
    }),
    page({
      path: imported,
      title: imports.title,
      icon: 'import',
      keywords: `${imports.templates} ${imports.history}`,
      load: () => import('../operator/import.tsx'),
    }),
    page({
      path: '/operator/import/:id',
      title: imports.one,
      parent: imported,
      load: () => import('../operator/import-one.tsx'),
    }),
    page({
      path: '/operator/log',
      title: texts.audit.title,
      icon: 'list',
      load: () => import('../operator/audit-log.tsx'),
    }),
    page({
      path: '/operator/health',
      title: texts.health.title,
      icon: 'pulse',
      load: () => import('../operator/health.tsx'),
    }),
  ],
}
