import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ApiFailure } from '../api/call.ts'
import { publicPageQuery } from '../api/explore.ts'
import { kindsQuery } from '../api/identity-kinds.ts'
import { ownRanksQuery } from '../api/my.ts'
import { claimQuest, type Completion, type Readiness, readinessQuery } from '../api/quests.ts'
import { NameOnBoards } from '../my/name-on-boards.tsx'
import { ShowName } from '../my/show-name.tsx'
import { accountLabel, isAccountAddress, isPublicAddress } from '../shell/account-address.ts'
import { atTime } from '../shell/dates.ts'
import { Fault } from '../shell/fault.tsx'
import { Loading } from '../shell/loading.tsx'
import { Notice } from '../shell/notice.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { claim as texts, my } from '../texts/index.ts'
import { Conditions } from './conditions.tsx'
import { kindsToLink, LinkIdentities } from './link-identities.tsx'

interface ClaimFormProps {
  questId: string
  spaceId: string
  /** If the quest is known to be completed. */
  known?: Completion | undefined
}

/** The signed-in account completes the quest, or sees what is missing and links an identity. */
export function ClaimForm({ questId, spaceId, known }: ClaimFormProps) {
  const [chosen, setChosen] = useState('')
  const { data, error, isFetching, refetch } = useQuery({
    ...readinessQuery(questId, chosen),
    placeholderData: (previous) => previous,
    enabled: known === undefined,
  })
  const offered = (useQuery(kindsQuery).data?.kinds ?? []).map(({ kind }) => kind)
  const claim = useMutation({ mutationFn: (address: string | null) => claimQuest(questId, address) })
  const completion = known ?? claim.data ?? data?.completion
  if (completion) return <Completed completion={completion} spaceId={spaceId} />
  if (!data) return error ? <Fault error={error} /> : <Loading rows={2} />
  const { state, address, addresses } = data
  const toLink = kindsToLink(data, offered)
  return (
    <Stack gap="sm" align="flex-start">
      {addresses.length > 1 && (
        <NativeSelect
          label={texts.address}
          data={addresses.map((one) => ({ value: one.address, label: nameOf(one.address, addresses) }))}
          value={address ?? ''}
          onChange={(event) => setChosen(event.currentTarget.value)}
          maw="100%"
        />
      )}
      <Refusal readiness={data} failure={claim.error} />
      <LinkIdentities kinds={toLink} />
      <Conditions questId={questId} readiness={data} toLink={toLink} />
      {state === 'ready' && <Text size="sm">{texts.ready}</Text>}
      <Group gap="xs">
        <Button onClick={() => claim.mutate(address)} loading={claim.isPending} disabled={state !== 'ready'}>
          {texts.go}
        </Button>
        {state === 'refused' && (
          <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
            {texts.again}
          </Button>
        )}
      </Group>
      {addresses.length === 1 && (
        <Text size="sm" c="dimmed">
          {pointsGoTo(addresses[0]?.address ?? '')}
        </Text>
      )}
    </Stack>
  )
}

const nameOf = (address: string, all: Readiness['addresses']): string =>
  isAccountAddress(address)
    ? accountLabel(
        texts.yourAccount,
        address,
        all.map((one) => one.address),
      )
    : address

const pointsGoTo = (address: string): string =>
  isAccountAddress(address) ? texts.pointsGoToAccount : texts.pointsGoTo(address)

function Completed({ completion, spaceId }: { completion: Completion; spaceId: string }) {
  const { address, points, claimedAt } = completion
  const [location] = useLocation()
  const page = useQuery(publicPageQuery(spaceId))
  const slug = page.data?.slug ?? null
  const ranks = useQuery(ownRanksQuery).data?.list
  const rank = ranks?.find((one) => one.space.id === spaceId && one.address === address)
  return (
    <Notice kind="good" title={texts.completed}>
      <Text size="sm">
        {isAccountAddress(address) ? atTime(claimedAt) : texts.completedAt(atTime(claimedAt), address)}
      </Text>
      {points !== null && points > 0 && <Text size="sm">{texts.gotPoints(points)}</Text>}
      {rank && <NameOnBoards rank={rank} />}
      <Group gap="xs" mt="xs">
        {slug !== null && (
          <Button component="a" href={placeOnBoard(slug, completion)} size="xs">
            {texts.ranks}
          </Button>
        )}
        {location !== '/my' && !page.isPending && (
          <Button component={Link} href="/my" variant="default" size="xs">
            {slug === null ? texts.ranks : my.title}
          </Button>
        )}
        {rank && <ShowName />}
      </Group>
    </Notice>
  )
}

/** A member without points may not be on the board, and the public page does not find addresses that it does not show. */
const placeOnBoard = (slug: string, { address, points }: Completion): string =>
  points === null || points === 0 || !isPublicAddress(address)
    ? `/s/${slug}`
    : `/s/${slug}?${new URLSearchParams({ find: address })}#found`

/** The refusal of the last attempt, or the reason why an attempt would be refused now. */
function Refusal({ readiness, failure }: { readiness: Readiness; failure: Error | null }) {
  const refused = failure instanceof ApiFailure ? failure.reason : undefined
  if (failure && refused === undefined) return <Fault error={failure} />
  const reason = readiness.refusal?.reason ?? refused
  if (reason === undefined) return null
  // The list of conditions says what is missing.
  if (reason === 'CONDITION_NOT_MET' && readiness.groups.some(({ met }) => !met)) return null
  const text = texts.reasons[reason] ?? readiness.refusal?.message ?? failure?.message ?? ''
  return <Notice kind="warning" title={text} />
}
