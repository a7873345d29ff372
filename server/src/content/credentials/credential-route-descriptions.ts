import type { RouteDescription } from '../../api/route-description.ts'
import { contentKinds } from '../records/content-kinds.ts'
import { credentialShape, pageOf } from '../response-shapes.ts'
import { listParameters, readListQuery, readSpaceParameter, spaceParameter } from '../records/list-query.ts'
import { changeBody, creationBody } from '../request-shapes.ts'
import { changed, invalid } from '../spaces/space-route-descriptions.ts'
import { requireId } from '../records/store.ts'
import { missingRights } from '../../teams/permissions.ts'
import { editableCredential, missingCredentialRights, visibleCredential } from './credential-rights.ts'

const { credential } = contentKinds
const tag = 'Content'
const params = { id: { description: 'of the credential', read: (text: string) => requireId(credential, text) } }

export const credentialDescriptions = {
  list: {
    method: 'GET',
    path: '/api/credentials',
    who: 'account',
    summary: 'List credentials for editing',
    description: 'Of a space in whose team the account is; operators may list those of all spaces.',
    tag,
    missingRight: missingRights.view,
    query: { ...listParameters, ...spaceParameter },
    readQuery: (query) => ({ ...readListQuery(query), spaceId: readSpaceParameter(query) }),
    answer: { description: 'In the order of ids.', shape: pageOf({ itemCount: credentialShape.shape.itemCount }) },
  },
  create: {
    method: 'POST',
    path: '/api/credentials',
    who: 'account',
    summary: 'Create a credential',
    description:
      'For editors of the space that curates it; only operators create credentials without a curator. Without an id, the credential gets one of 18 digits.',
    tag,
    missingRight: missingRights.edit,
    body: creationBody(credential),
    answer: { status: 201, description: 'The credential.', shape: credentialShape },
    errors: { ...invalid, 409: 'A credential has this id.' },
  },
  view: {
    method: 'GET',
    path: '/api/credentials/:id',
    who: 'account',
    summary: 'Get a credential for editing',
    tag,
    params,
    resource: visibleCredential,
    missingRight: missingCredentialRights.view,
    answer: { description: 'The credential.', shape: credentialShape },
  },
  change: {
    method: 'PATCH',
    path: '/api/credentials/:id',
    who: 'account',
    summary: 'Change a credential',
    description: 'For editors of its space. Absent fields keep their value.',
    tag,
    params,
    // The body can name another curator space. The right for that space is checked after the body.
    resource: editableCredential,
    missingRight: missingCredentialRights.edit,
    body: changeBody(credential),
    answer: { description: 'The credential.', shape: credentialShape },
    errors: { ...invalid, ...changed },
  },
  remove: {
    method: 'DELETE',
    path: '/api/credentials/:id',
    who: 'account',
    recentSignIn: true,
    summary: 'Delete a credential with its holders and its source',
    description: 'For admins and the owner of its space.',
    tag,
    params,
    missingRight: missingCredentialRights.manage,
    answer: { status: 204, description: 'Deleted.' },
    errors: { 409: 'Quests require the credential.' },
  },
} as const satisfies Record<string, RouteDescription>
