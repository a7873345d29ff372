import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { resolvers, typeDefs } from './resolvers.ts'

/** S4: Apollo Server on its own HTTP server; parsed documents are cached by default. */
const server = new ApolloServer({ typeDefs, resolvers, introspection: false, includeStacktraceInErrorResponses: false })
const { url } = await startStandaloneServer(server, { listen: { host: '127.0.0.1', port: 0 } })
process.send?.({ port: Number(new URL(url).port) })
