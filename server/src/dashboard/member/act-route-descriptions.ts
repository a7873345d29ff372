import { z } from 'zod'
import { time } from '../../api/response-shapes.ts'
import type { RouteDescription } from '../../api/route-description.ts'
import { answerText, MAX_OPTIONS, MAX_QUESTIONS } from '../../sync/members/quiz.ts'
import { ownAddress, QUEST_IS_PRIVATE } from './quest-route-descriptions.ts'

const MAX_LINK = 2_000

const tag = 'Quests'
const params = { id: 'of the quest', credentialId: 'the ID of a credential that a condition of the quest uses' }
const address = ownAddress.optional().describe('A linked address of the kind of the credential; default: the first one')
const nextAttemptAt = time.nullable().describe('When there are attempts again; null if some are left')

const quizShape = z.strictObject({
  questions: z.array(
    z.strictObject({
      question: z.string(),
      type: z.enum(['single', 'several', 'text']),
      options: z.array(z.string()).optional().describe('Absent for the type `text`'),
    }),
  ),
  passMark: z.int().describe('Right answers that pass'),
  version: z.string().describe('Changes with the questions'),
  attempts: z.strictObject({ allowed: z.int(), periodSeconds: z.int(), left: z.int(), nextAttemptAt }),
  passed: z.boolean().describe('Whether the account has passed'),
})

const refusals = {
  404: 'The quest or the condition does not exist, or is not visible.',
  429: 'Too many requests; `Retry-After` says when to retry.',
}

/** The operations with which a member meets a condition. */
export const actDescriptions = {
  quiz: {
    method: 'GET',
    path: '/api/quests/:id/quizzes/:credentialId',
    who: 'account',
    summary: 'Get the questions of a quiz, and the attempts that are left',
    tag,
    params,
    missingRight: QUEST_IS_PRIVATE,
    answer: { description: 'The quiz, without its answers.', shape: quizShape },
    errors: {
      ...refusals,
      409: '`not_a_quiz`: the source of the credential is no quiz.',
    },
  },
  answer: {
    method: 'POST',
    path: '/api/quests/:id/quizzes/:credentialId/attempts',
    who: 'account',
    summary: 'Answer a quiz',
    description:
      'Counts an attempt of the account. A member who passes becomes a holder. The response does not say which answers were right. An account that has passed before can add another address, without an attempt.',
    tag,
    params,
    missingRight: QUEST_IS_PRIVATE,
    body: z.strictObject({
      version: z.string().max(40).describe('The `version` of the questions'),
      answers: z
        .array(z.array(answerText(0)).max(MAX_OPTIONS))
        .max(MAX_QUESTIONS)
        .describe('For each question a list: the chosen options, or one text'),
      address,
    }),
    answer: {
      description: 'The attempt was counted.',
      shape: z.strictObject({
        passed: z.boolean(),
        right: z.int().nullable().describe('Right answers; null if the account had passed before'),
        attemptsLeft: z.int(),
        nextAttemptAt,
        kind: z.string().nullable().describe('The kind of the identity that is a holder now; null if not passed'),
        listChanged: z.boolean(),
      }),
    },
    errors: {
      ...refusals,
      409: '`attempts_used`: no attempt is left; `nextAttemptAt` says when to retry. `quiz_changed`: the quiz was replaced; read the questions again. `identity_missing`: the account has no identity of the kind that may be used for eligibility. `not_a_quiz`.',
    },
  },
  visit: {
    method: 'POST',
    path: '/api/quests/:id/visits/:credentialId',
    who: 'account',
    summary: 'Get a link to visit',
    description: 'The link is for this account, for 15 minutes. A member who opens it becomes a holder.',
    tag,
    params,
    missingRight: QUEST_IS_PRIVATE,
    body: z.strictObject({ address }),
    answer: {
      description: 'The link.',
      shape: z.strictObject({ url: z.string(), expiresAt: time }),
    },
    errors: {
      ...refusals,
      409: '`not_a_visit_link`: the source of the credential is no link. `identity_missing`: the account has no identity of the kind that may be used for eligibility.',
    },
  },
  open: {
    method: 'GET',
    path: '/visit',
    head: false,
    who: 'anyone',
    summary: 'Open a link to visit',
    description: 'For browsers. Records the visit of the signed-in account. A refusal is a page.',
    tag,
    query: {
      link: { description: 'from `POST /api/quests/{id}/visits/{credentialId}`', shape: z.string(), required: true },
    },
    readQuery: ({ link }) => (typeof link === 'string' && link.length <= MAX_LINK ? link : ''),
    answer: {
      status: 303,
      description: 'Redirects to the page of the condition.',
      noContent: 'The browser only loads the page in advance; nothing was recorded.',
    },
    errorPages: true,
    errors: {
      400: 'The link is not from here, or is incomplete.',
      401: 'The browser is not signed in.',
      403: 'The link is of another account.',
      404: 'The quest or the condition has changed.',
      410: 'The link has expired.',
      429: 'Too many requests.',
    },
  },
} as const satisfies Record<string, RouteDescription>
