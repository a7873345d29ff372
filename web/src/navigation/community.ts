import { content, explore, points, rules, shell as texts, snapshots } from '../texts/index.ts'
import { page, type PageGroup } from './page.ts'

const overview = '/explore'
const editable = '/content'

/** Pages that show the data of communities. */
export const community: PageGroup = {
  title: texts.groups.community,
  pages: [
    page({
      path: editable,
      title: content.title,
      titleFor: ({ operator }) => (operator ? content.titleOfAll : content.title),
      icon: 'home',
      load: () => import('../content/spaces.tsx'),
    }),
    page({
      path: '/content/spaces/:id',
      title: content.space.one,
      parent: editable,
      load: () => import('../content/space.tsx'),
    }),
    page({
      path: '/content/spaces/:id/leaderboard',
      title: content.space.board,
      parent: editable,
      load: () => import('../content/leaderboard.tsx'),
    }),
    page({
      path: '/content/spaces/:id/points',
      title: points.title,
      parent: editable,
      load: () => import('../points/points.tsx'),
    }),
    page({
      path: '/content/spaces/:id/rules',
      title: rules.title,
      parent: editable,
      load: () => import('../rules/rules.tsx'),
    }),
    page({
      path: '/content/spaces/:id/snapshots',
      title: snapshots.title,
      parent: editable,
      load: () => import('../snapshots/of-space.tsx'),
    }),
    page({
      path: '/content/spaces/:id/settings',
      title: content.space.settings,
      parent: editable,
      load: () => import('../content/space-settings.tsx'),
    }),
    page({
      path: '/content/spaces/:id/new-quest',
      title: content.quest.new,
      parent: editable,
      load: () => import('../content/new-quest.tsx'),
    }),
    page({
      path: '/content/spaces/:id/new-credential',
      title: content.credential.new,
      parent: editable,
      load: () => import('../content/new-credential.tsx'),
    }),
    page({
      path: '/content/quests/:id',
      title: content.quest.one,
      parent: editable,
      load: () => import('../content/quest.tsx'),
    }),
    page({
      path: '/content/credentials/:id',
      title: content.credential.one,
      parent: editable,
      load: () => import('../content/credential.tsx'),
    }),
    page({
      path: '/content/new-starboard',
      title: content.starboard.new,
      parent: '/explore/starboards',
      isFor: ({ operator }) => operator,
      load: () => import('../content/new-starboard.tsx'),
    }),
    page({
      path: '/content/starboards/:id',
      title: content.starboard.one,
      parent: '/explore/starboards',
      load: () => import('../content/starboard.tsx'),
    }),
    page({ path: overview, title: texts.explore, icon: 'compass', load: () => import('../explore/overview.tsx') }),
    page({
      path: '/explore/spaces',
      title: explore.kinds.spaces,
      icon: 'space',
      load: () => import('../explore/spaces.tsx'),
    }),
    page({
      path: '/explore/spaces/:id',
      title: explore.kind.spaces,
      parent: '/explore/spaces',
      load: () => import('../explore/space.tsx'),
    }),
    page({
      path: '/explore/starboards',
      title: explore.kinds.starboards,
      icon: 'star',
      load: () => import('../explore/starboards.tsx'),
    }),
    page({
      path: '/explore/starboards/:id',
      title: explore.kind.starboards,
      parent: '/explore/starboards',
      load: () => import('../explore/starboard.tsx'),
    }),
    page({
      path: '/explore/credentials',
      title: explore.kinds.credentials,
      icon: 'badge',
      load: () => import('../explore/credentials.tsx'),
    }),
    page({
      path: '/explore/credentials/:id',
      title: explore.kind.credentials,
      parent: '/explore/credentials',
      load: () => import('../explore/credential.tsx'),
    }),
    page({
      path: '/explore/quests',
      title: explore.kinds.quests,
      icon: 'flag',
      load: () => import('../explore/quests.tsx'),
    }),
    page({
      path: '/explore/quests/:id',
      title: explore.kind.quests,
      parent: '/explore/quests',
      load: () => import('../explore/quest.tsx'),
    }),
  ],
}
