import { z } from 'zod'
import { after, evmAddress, first, starboardId } from './inputs.ts'
import { queryTool } from './tool.ts'

const NODE = `
  rank { value delta }
  influenceScore { value delta deltaRate percentage }
  change24H { value deltaRate }
  change7D { value deltaRate }
  change30D { value deltaRate }
  xUserProfile { username followersCount verifiedType }`

export const starboardTools = [
  queryTool({
    name: 'get_starboard',
    title: 'Get a starboard',
    description: 'Get the name, project, type and reward of a starboard (a ranking by influence or on-chain activity).',
    input: { id: starboardId },
    document: `query ($id: ID!) {
      starboard(id: $id) {
        basicInfo {
          id name projectName description tags type
          reward { name description startTime endTime }
        }
      }
    }`,
  }),
  queryTool({
    name: 'list_starboard_ranking',
    title: 'List the ranking of a starboard',
    description: 'List the users of a starboard, highest score first, with their scores and trends.',
    input: { id: starboardId, first: first('users'), after },
    document: `query ($id: ID!, $first: Int!, $after: String) {
      starboard(id: $id) {
        leaderboard(pagination: { forward: { first: $first, after: $after } }) {
          totalCount
          pageInfo { hasNextPage endCursor }
          edges { node { ${NODE} } }
        }
      }
    }`,
  }),
  queryTool({
    name: 'get_starboard_user',
    title: 'Get a user of a starboard',
    description: 'Get the rank, score and trends of one user of a starboard.',
    input: { id: starboardId, handle: z.string().min(1).describe('Handle of the X user, with or without @') },
    document: `query ($id: ID!, $handle: String!) {
      starboard(id: $id) {
        leaderboard(twitterId: $handle, pagination: { forward: { first: 1 } }) { edges { node { ${NODE} } } }
      }
    }`,
  }),
  queryTool({
    name: 'find_handle_of_address',
    title: 'Find the handle of an address',
    description: 'Find the X handle that belongs to an EVM address in a starboard.',
    input: { id: starboardId, evmAddress },
    document: `query ($id: ID!, $evmAddress: String!) {
      starboard(id: $id) {
        twitterHandleByEvmAddress(evmAddress: $evmAddress) { evmAddress mainAddress twitterHandle isPublic }
      }
    }`,
  }),
  queryTool({
    name: 'get_starboard_address',
    title: 'Get the scores of an address',
    description: 'Get the individual score and the aura of an EVM address in a starboard.',
    input: { id: starboardId, evmAddress },
    document: `query ($id: ID!, $evmAddress: String!) {
      starboard(id: $id) {
        userDetail(evmAddress: $evmAddress) { starboardId twitterHandle individual aura isPublic }
      }
    }`,
  }),
]
