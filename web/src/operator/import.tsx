import { PageLayout } from '../shell/page-layout.tsx'
import { imports as t } from '../texts/operator-pages.ts'
import { ImportHistory } from './import-history.tsx'
import { ImportTemplates } from './import-templates.tsx'
import { ImportUpload } from './import-upload.tsx'

/** `/operator/import` */
export default function ImportPage() {
  return (
    <PageLayout title={t.title} lead={t.lead}>
      <ImportUpload />
      <ImportHistory />
      <ImportTemplates />
    </PageLayout>
  )
}
