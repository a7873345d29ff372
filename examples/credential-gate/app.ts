import { createServer } from 'node:http'
import express, { type Express } from 'express'
import { createQuestboard, createSignIn, type Questboard, type SignIn } from '@questboard/client'
import { examplePort, needed, run } from '../run.ts'
import { signInRoutes, userOf } from '../sign-in-express/sign-in.ts'
import { requireCredential } from './gate.ts'

/** An app with a public page and a page for the holders of a credential. */
export function createApp(
  { questboard, signIn, credentialId }: { questboard: Questboard; signIn: SignIn; credentialId: string },
  options = { secure: true },
): Express {
  const app = express()
  app.use(signInRoutes(signIn, options))
  const gate = requireCredential({
    questboard,
    credentialId,
    addressOf: async (request) => (await userOf(signIn, request))?.EVMAddress,
  })
  app.get('/', (_, response) => void response.type('text').send('For everybody. Members: /members'))
  app.get('/members', gate, (_, response) => void response.type('text').send('Welcome, member.'))
  return app
}

if (import.meta.main) {
  const port = examplePort()
  const { QUESTBOARD_TOKEN, CLIENT_ID, CLIENT_SECRET } = needed('QUESTBOARD_TOKEN', 'CLIENT_ID', 'CLIENT_SECRET')
  const baseUrl = process.env.QUESTBOARD_URL ?? 'http://localhost:4000'
  const app = createApp(
    {
      credentialId: process.env.CREDENTIAL ?? '312969464',
      questboard: createQuestboard({ baseUrl, accessToken: QUESTBOARD_TOKEN }),
      signIn: createSignIn({
        baseUrl,
        clientId: CLIENT_ID,
        clientSecret: CLIENT_SECRET,
        redirectUri: `http://localhost:${port}/callback`,
        scope: ['EVMAddress'],
      }),
    },
    { secure: false },
  )
  run(createServer(app), port)
}
