import type { Browser } from '../support/oauth-browser.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { linkName, type Member, startMemberQuests } from '../claims/member-fixture.ts'
import { setSource } from '../../src/sync/set-source.ts'
import { BOT_TOKEN as DISCORD_TOKEN, type DiscordApi, discordApi, GUILD } from '../sync/platforms/discord-api.ts'
import { type GithubApi, githubApi, REPOSITORY, TOKEN as GITHUB_TOKEN } from '../sync/platforms/github-api.ts'
import { type SnapshotApi, snapshotApi } from '../sync/platforms/snapshot-api.ts'
import { BOT_TOKEN, CHAT, type TelegramApi, telegramApi } from '../sync/platforms/telegram-api.ts'

export interface Platforms {
  discord: DiscordApi
  github: GithubApi
  snapshot: SnapshotApi
  telegram: TelegramApi
}

export const PROPOSAL = '0x586de5bf366820c4369c041b0bbad2254d78fafe1dcc1528c1ed661bb4dfb671'

const sources = {
  discord: [
    { kind: 'DISCORD_MEMBER', guildId: GUILD, botToken: DISCORD_TOKEN },
    { credType: 'DISCORD', credSource: 'DISCORD_MEMBER' },
  ],
  github: [
    { kind: 'GITHUB_STAR', repository: REPOSITORY, token: GITHUB_TOKEN },
    { credType: 'GITHUB', credSource: 'REST' },
  ],
  snapshot: [
    { kind: 'SNAPSHOT_ORG', proposal: PROPOSAL },
    { credType: 'EVM_ADDRESS', credSource: 'SNAPSHOT_ORG' },
  ],
  telegram: [
    { kind: 'TELEGRAM_MEMBER', chat: CHAT, botToken: BOT_TOKEN },
    { credType: 'EVM_ADDRESS', credSource: 'API' },
  ],
} as const

/** Quests with conditions on platforms, and a member whose accounts are linked. */
export async function startVerifications() {
  const platforms: Platforms = {
    discord: discordApi(),
    github: githubApi(),
    snapshot: snapshotApi(),
    telegram: telegramApi(),
  }
  const start = (name: keyof Platforms): Promise<Upstream> =>
    startUpstream((request, response) => platforms[name].answer(request, response))
  const upstreams = {
    discord: await start('discord'),
    github: await start('github'),
    snapshot: await start('snapshot'),
    telegram: await start('telegram'),
  }
  const quests = await startMemberQuests({
    settings: {
      QUESTBOARD_DISCORD_SITE: upstreams.discord.url,
      QUESTBOARD_GITHUB_API: upstreams.github.url,
      QUESTBOARD_SNAPSHOT_API: `${upstreams.snapshot.url}/graphql`,
      QUESTBOARD_TELEGRAM_API: upstreams.telegram.url,
    },
  })
  const { service } = quests
  let next = 7200

  return {
    ...quests,
    platforms,
    upstreams,
    /** Renews the fakes, and the counted attempts. */
    async reset() {
      Object.assign(platforms, {
        discord: discordApi(),
        github: githubApi(),
        snapshot: snapshotApi(),
        telegram: telegramApi(),
      })
      for (const { requests } of Object.values(upstreams)) requests.length = 0
      await service.database.query('DELETE FROM attempt_windows')
    },
    /** A quest with one condition, whose credential has a source. */
    questOn: async (
      platform: keyof Platforms,
      more: object = {},
    ): Promise<{ questId: string; credentialId: string }> => {
      const credentialId = String(next++)
      const questId = `GCverify${credentialId}`
      const [source, about] = sources[platform]
      await quests.credential(credentialId, [], about)
      await setSource(service.services, credentialId, { ...source, ...more })
      await quests.quest(questId, { credentialGroups: [quests.group('ALL', credentialId)] })
      return { questId, credentialId }
    },
    /** @param kind with the immutable id on the platform */
    memberWith: async (...identities: [kind: string, subject: string][]): Promise<Member> => {
      const member = await quests.member()
      for (const [kind, subject] of identities) await linkName(service, member.accountId, kind, subject)
      return member
    },
    async close() {
      await service.close()
      await Promise.all(Object.values(upstreams).map((one) => one.close()))
    },
  }
}

let user = 100

/** An id that no other test uses. */
export const newUser = (): string => String(80351110224678000n + BigInt(user++))

export const verify = ({ browser }: { browser: Browser }, questId: string, body: object) =>
  browser.call('POST', `/api/quests/${questId}/verifications`, body)
