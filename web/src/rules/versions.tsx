import { Badge, Button, Group, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Rule, ruleVersionQuery, type Version, versionsQuery } from '../api/rules.ts'
import { queryClient } from '../api/session.ts'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { MoreButton } from '../shell/more-button.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { rules as t, shell } from '../texts/index.ts'
import { RuleRow } from './rule-row.tsx'

interface VersionsProps {
  spaceId: number
  /** The version in force. */
  current: number
  /** Loads the rules of an earlier version into the editor; undefined if they cannot be edited. */
  restore: ((rules: Rule[]) => void) | undefined
}

/** All versions of the rules, newest first. */
export function Versions({ spaceId, current, restore }: VersionsProps) {
  const list = useInfiniteQuery(versionsQuery(spaceId))
  const versions = list.data?.pages.flatMap((page) => page.versions) ?? []
  return (
    <Section title={t.versions} lead={t.versionsLead}>
      {list.isPending && <Loading />}
      {list.isError && <LoadFailure error={list.error} retry={() => void list.refetch()} />}
      <ul className="rows">
        {versions.map((version) => (
          <VersionRow
            key={version.version}
            spaceId={spaceId}
            version={version}
            isCurrent={version.version === current}
            restore={restore}
          />
        ))}
      </ul>
      <MoreButton list={list} label={shell.more} />
    </Section>
  )
}

interface VersionRowProps {
  spaceId: number
  version: Version
  isCurrent: boolean
  restore: VersionsProps['restore']
}

function VersionRow({
  spaceId,
  version: { version, createdAt, createdBy, rules },
  isCurrent,
  restore,
}: VersionRowProps) {
  const [shown, setShown] = useState(false)
  const load = useMutation({
    mutationFn: () => queryClient.fetchQuery(ruleVersionQuery(spaceId, version)),
    onSuccess: (found) => {
      restore?.(found.rules)
      toast(t.restored(version))
    },
  })
  return (
    <li className="row">
      <div className="row-main">
        <Group gap="xs">
          <Text fw={500}>{t.version(version)}</Text>
          {isCurrent && (
            <Badge variant="light" tt="none">
              {t.current}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {[t.byAt(atTime(createdAt), authorOf(createdBy)), t.count(rules)].join(' · ')}
        </Text>
        <Fault error={load.error} />
      </div>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          aria-label={shown ? t.hideNamed(version) : t.showNamed(version)}
          aria-expanded={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? t.hide : t.show}
        </Button>
        {!isCurrent && restore && (
          <Button
            size="xs"
            variant="default"
            aria-label={t.restoreNamed(version)}
            loading={load.isPending}
            onClick={() => load.mutate()}
          >
            {t.restore}
          </Button>
        )}
      </Group>
      {shown && <RulesOfVersion spaceId={spaceId} version={version} />}
    </li>
  )
}

export function authorOf(createdBy: Version['createdBy']): string {
  return createdBy === null ? t.byCommand : (createdBy.username ?? t.deletedAccount)
}

function RulesOfVersion({ spaceId, version }: { spaceId: number; version: number }) {
  const found = useQuery(ruleVersionQuery(spaceId, version))
  if (found.isPending) return <Loading />
  if (found.isError) return <LoadFailure error={found.error} retry={() => void found.refetch()} />
  return (
    <div className="inset rule-form">
      {found.data.rules.length === 0 && <Text size="sm">{t.noRules}</Text>}
      <ul className="rows">
        {found.data.rules.map((rule) => (
          <RuleRow key={rule.id} spaceId={spaceId} rule={rule} state={null} />
        ))}
      </ul>
    </div>
  )
}
