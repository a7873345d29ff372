import { listen, readBody } from './listen.ts'

/** S1: the least that an HTTP server on Node can do with such a request: read its body, answer ready bytes. */
const { body } = JSON.parse(process.argv[2] ?? '{}') as { body: string }
const bytes = Buffer.from(body)

await listen((request, response) => {
  void readBody(request).then(() => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length })
    response.end(bytes)
  })
})
