import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/session.ts'
import { NotHere } from '../shell/not-found.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { operator as texts } from '../texts/index.ts'
import { AuditLog } from './audit-log.tsx'
import { Health } from './health.tsx'
import { Import } from './import.tsx'
import { JudgedApps } from './judged-apps.tsx'
import { Plans } from './plans.tsx'
import { Syncs } from './syncs.tsx'

const sections = {
  apps: { title: texts.apps.title, lead: texts.apps.lead, Content: JudgedApps },
  plans: { title: texts.plans.title, lead: texts.plans.lead, Content: Plans },
  syncs: { title: texts.syncs.title, lead: texts.syncs.lead, Content: Syncs },
  import: { title: texts.imports.title, lead: texts.imports.lead, Content: Import },
  log: { title: texts.audit.title, lead: texts.audit.lead, Content: AuditLog },
  health: { title: texts.health.title, lead: texts.health.lead, Content: Health },
}

/** `/operator…`: for accounts that run the installation. */
export default function OperatorPage({ section = 'apps' }: { section: string | undefined }) {
  const operator = useQuery(sessionQuery).data?.account?.operator === true
  if (!operator)
    return (
      <Stack>
        <PageTitle>{texts.title}</PageTitle>
        <Text>{texts.onlyOperators}</Text>
      </Stack>
    )
  if (!Object.hasOwn(sections, section)) return <NotHere />
  const { title, lead, Content } = sections[section as keyof typeof sections]
  return (
    <Stack>
      <PageTitle>{title}</PageTitle>
      <Text c="dimmed">{lead}</Text>
      <Content />
    </Stack>
  )
}
