import { Anchor, Button, Group, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { changeSpace, type EditedSpace } from '../api/content.ts'
import { publicPageQuery } from '../api/explore.ts'
import { queryClient } from '../api/session.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { explore } from '../texts/index.ts'
import { Embeds } from './embeds.tsx'
import { slugOf } from './slug-of.ts'
import type { Edited } from './use-edited.ts'

const texts = explore.publicPage
/** The ID of the field for the address of the page. */
export const SLUG_PLACE = 'public-page'

/** The public page of a space; admins, the owner and operators can publish, move and remove it. */
export function PublicPage({ spaceId, edited }: { spaceId: number; edited: Edited<EditedSpace> }) {
  const query = publicPageQuery(String(spaceId))
  const page = useQuery(query).data
  const [typed, setTyped] = useState<string>()
  const initial = page?.slug ?? slugOf(edited.saved.name)
  useUnsaved(typed !== undefined && typed !== initial)
  const change = useMutation({
    mutationFn: (slug: string | null) => changeSpace(spaceId, { slug, version: edited.version }),
    async onSuccess(changed) {
      edited.keepInput(changed)
      setTyped(undefined)
      toast(changed.slug === null ? texts.removed : page?.slug ? texts.changed : texts.published)
      await queryClient.invalidateQueries({ queryKey: query.queryKey })
    },
  })
  const slug = typed ?? initial
  const faultAt = useFaults({ pending: change.isPending, error: change.error }, { slug })
  if (!page) return null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (page.slug === null || window.confirm(texts.changeQuestion)) change.mutate(slug)
  }
  return (
    <>
      <Section title={texts.title} lead={texts.lead}>
        {page.url !== null && (
          <Text>
            <Anchor href={page.url} underline="always">
              {page.url}
            </Anchor>
          </Text>
        )}
        <form className="line-form" onSubmit={submit} noValidate>
          <TextInput
            id={SLUG_PLACE}
            label={texts.slug}
            description={texts.slugHelp}
            value={slug}
            error={faultAt('slug')}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Group gap="xs">
            <Button type="submit" loading={change.isPending} disabled={slug === '' || slug === page.slug}>
              {page.slug === null ? texts.publish : texts.change}
            </Button>
            {page.slug !== null && (
              <ConfirmButton
                size="sm"
                label={texts.remove}
                question={texts.removeQuestion}
                pending={change.isPending}
                onConfirm={() => change.mutate(null)}
              />
            )}
          </Group>
        </form>
        <FormFault error={change.error} shown={['slug']} reload={() => edited.reload(change)} />
      </Section>
      <Embeds spaceId={spaceId} page={page} />
    </>
  )
}
