import { Anchor, Button, Group, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { publicPageQuery, publishSpace, unpublishSpace } from '../api/explore.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useUnsaved } from '../shell/unsaved.ts'
import { explore } from '../texts/index.ts'
import { Embeds } from './embeds.tsx'

const texts = explore.publicPage

/** The public page of a space; its owner and operators can publish, move and remove it. */
export function PublicPage({ spaceId }: { spaceId: string }) {
  const page = useQuery(publicPageQuery(spaceId)).data
  const [typed, setTyped] = useState<string>()
  useUnsaved(typed !== undefined && typed !== (page?.slug ?? ''))
  const publish = useMutation({
    mutationFn: (slug: string) => publishSpace(spaceId, slug),
    onSuccess() {
      setTyped(undefined)
      toast(texts.published)
    },
  })
  const remove = useMutation({ mutationFn: () => unpublishSpace(spaceId), onSuccess: () => toast(texts.removed) })
  const faultAt = useFaults(publish.error, { slug: typed ?? page?.slug ?? '' })
  if (!page || (!page.editable && page.url === null)) return null
  const slug = typed ?? page.slug ?? ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    publish.mutate(slug)
  }
  return (
    <Section title={texts.title} {...(page.editable && { lead: texts.lead })}>
      {page.url !== null && (
        <Text>
          <Anchor href={page.url} underline="always">
            {page.url}
          </Anchor>
        </Text>
      )}
      {page.editable && (
        <form className="line-form" onSubmit={submit} noValidate>
          <TextInput
            label={texts.slug}
            description={texts.slugHelp}
            value={slug}
            error={faultAt('slug')}
            spellCheck={false}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Group gap="xs">
            <Button type="submit" loading={publish.isPending} disabled={slug === '' || slug === page.slug}>
              {page.slug === null ? texts.publish : texts.change}
            </Button>
            {page.slug !== null && (
              <ConfirmButton
                label={texts.remove}
                question={texts.removeQuestion}
                pending={remove.isPending}
                onConfirm={() => remove.mutate()}
              />
            )}
          </Group>
        </form>
      )}
      <FormFault error={publish.error ?? remove.error} shown={['slug']} />
      <Embeds spaceId={spaceId} />
    </Section>
  )
}
