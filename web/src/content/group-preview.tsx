import { Badge, Button, Group, Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { type ConditionGroup, previewGroups } from '../api/content.ts'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { content as texts } from '../texts/index.ts'

const t = texts.preview

/** The result of `credentialGroups(address:)` for groups that are not saved yet. */
export function GroupPreview({ spaceId, groups }: { spaceId: number; groups: ConditionGroup[] }) {
  const [address, setAddress] = useState('')
  const check = useMutation({ mutationFn: () => previewGroups(spaceId, address.trim(), groups) })
  const result = check.data?.credentialGroups
  // The field is inside the form of the quest, which Enter would save.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    if (address.trim() !== '') check.mutate()
  }
  return (
    <Section title={t.title} lead={groups.length === 0 ? t.none : t.lead}>
      {groups.length > 0 && (
        <Group align="end" gap="xs">
          <TextInput
            className="content-grow"
            label={t.address}
            description={t.addressHelp}
            value={address}
            maxLength={320}
            onChange={(event) => setAddress(event.currentTarget.value)}
            onKeyDown={onKeyDown}
            autoComplete="off"
            spellCheck={false}
          />
          <Button
            variant="default"
            loading={check.isPending}
            disabled={address.trim() === ''}
            onClick={() => check.mutate()}
          >
            {t.go}
          </Button>
        </Group>
      )}
      <Fault error={check.error} labels={{ address: t.address }} />
      {result && (
        <ul className="rows" aria-live="polite">
          {result.flatMap((group, index) =>
            group.conditions.map(({ expression, eligible }, at) => (
              <li key={`${group.id} ${at}`} className="row">
                <Text size="sm">
                  {texts.groups.group(index + 1)}: {expression}
                </Text>
                <Badge color={eligible ? 'teal' : 'gray'} variant="light" tt="none">
                  {eligible ? t.met : t.notMet}
                </Badge>
              </li>
            )),
          )}
        </ul>
      )}
    </Section>
  )
}
