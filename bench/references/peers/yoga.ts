import { createSchema, createYoga } from 'graphql-yoga'
import { listen } from '../listen.ts'
import { resolvers, typeDefs } from './resolvers.ts'

/** S4: GraphQL Yoga on node:http; parsed and validated documents are cached by default. */
const schema = createSchema({ typeDefs, resolvers })
const yoga = createYoga({ schema, logging: false, graphiql: false, landingPage: false, healthCheckEndpoint: '/health' })

await listen((request, response) => void yoga(request, response))
