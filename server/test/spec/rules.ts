/** Every rule of the specification on the query service, by the number that its tests start with. */
export const rules: Record<string, string> = {
  // 1. What the service does
  '1.1': 'One GraphQL endpoint, {base_url}/query.',
  '1.2': 'A client reads starboards, spaces, credentials and quests.',
  '1.3': 'The interface is read-only; there is no mutation.',
  '1.4': 'Every GraphQL request needs an access token.',

  // 2.1 Starboard
  '2.1.1': 'Root field starboard(id: ID!).',
  '2.1.2': 'basicInfo: id, name, projectName, description, tags, type, reward.',
  '2.1.3': 'type is TWITTER or ONCHAIN.',
  '2.1.4': 'reward: name, description, startTime, endTime.',
  '2.1.5': 'leaderboard: pageInfo { hasNextPage, endCursor } and edges[].node.',
  '2.1.6': 'leaderboard(twitterId) restricts the list to that user.',
  '2.1.7': 'xUserProfile: username, followersCount, verifiedType.',
  '2.1.8': 'verifiedType is blue, business, government or none.',
  '2.1.9': 'rank is the ranking position.',
  '2.1.10': 'influenceScore is the influence score.',
  '2.1.11': 'change24H, change7D, change30D are the trends of 24 hours, 7 and 30 days.',
  '2.1.12': 'StarboardMetricValue: value String!, delta Int!, deltaRate Float!, percentage Float!.',
  '2.1.13': 'twitterHandleByEvmAddress: evmAddress, mainAddress, twitterHandle, isPublic.',
  '2.1.14': 'userDetail: starboardId, twitterHandle, individual, aura, isPublic.',

  // 2.2 Space
  '2.2.1': 'Root field space(id: Int!).',
  '2.2.2': 'space: id String!, name String!, description String.',
  '2.2.3': 'loyaltyPointsRanks: totalCount, pageInfo { hasNextPage, endCursor }, list.',
  '2.2.4': 'A rank: rank Int!, points Int!, address.',
  '2.2.5': 'Address: username, address, avatar.',
  '2.2.6': 'Root field spaceLoyaltyPointsRanks(spaceId, sprintId, cursorAfter).',

  // 2.3 Credential
  '2.3.1': 'Root field credential(id: ID!) with all its fields.',
  '2.3.2': 'credType is one of six platforms.',
  '2.3.3': 'credSource is one of the verification methods.',
  '2.3.4': 'syncStatus is SYNCED or SYNCING.',
  '2.3.5': 'itemCount is the total number of holders.',
  '2.3.6': 'lastSync is an integer.',
  '2.3.7': 'curatorSpace: id, name.',
  '2.3.8': 'eligible(address) is 1 when the address has the credential, 0 when it does not.',
  '2.3.9': 'eligible takes an optional campaignId.',

  // 2.4 Quest
  '2.4.1': 'Root field quest(id: ID!) with all its fields.',
  '2.4.2': 'type is Drop, MysteryBox, Airdrop, Points or ExternalLink.',
  '2.4.3': 'gasType is Gas or Gasless.',
  '2.4.4': 'space: id, name.',
  '2.4.5': 'credentialGroups(address): id, name, conditionRelation, conditions[], rewards[].',
  '2.4.6': 'A condition: expression, eligible (boolean).',
  '2.4.7': 'A reward: expression, eligible, rewardType, rewardCount.',
  '2.4.8': 'Root field quests(input: ListQuestInput!).',

  // 3. States
  '3.1.1': 'A quest is Active, NotStarted, Expired or CapReached for those who see it.',
  '3.1.2': 'Draft: in development, not visible.',
  '3.1.3': 'Deleted: removed.',
  '3.2.1': 'A credential is SYNCED or SYNCING.',
  '3.3.1': 'A quest accepts participation when Active, below its cap, and between startTime and endTime.',
  '3.3.2': 'ALL is met when every condition is, ANY when one is.',
  '3.3.3': 'An eligibility is reliable only when syncStatus is SYNCED.',

  // 4.1 GraphQL endpoint
  '4.1.1': 'Method POST, path {base_url}/query.',
  '4.1.2': 'Request headers Content-Type: application/json and access-token.',
  '4.1.3': 'Request body: JSON object with query and optional variables.',
  '4.1.4': 'Response body: JSON object with data on success.',
  '4.1.5': 'Response body: errors on failure.',
  '4.1.6': '__typename can be queried with a valid token.',

  // 4.2 Queries, row by row
  '4.2.1': 'starboard(id) basic info.',
  '4.2.2': 'starboard(id).leaderboard(pagination).',
  '4.2.3': 'starboard(id).leaderboard(twitterId, pagination).',
  '4.2.4': 'starboard(id).twitterHandleByEvmAddress.',
  '4.2.5': 'starboard(id).userDetail.',
  '4.2.6': 'space(id).',
  '4.2.7': 'space(id).loyaltyPointsRanks.',
  '4.2.8': 'spaceLoyaltyPointsRanks, the same shape.',
  '4.2.9': 'credential(id).',
  '4.2.10': 'credential(id).eligible, 0 or 1 inside data.credential.',
  '4.2.11': 'quest(id).',
  '4.2.12': 'quests(input): totalCount, pageInfo, list[].',
  '4.2.13': 'quest(id).credentialGroups(address).',
  '4.2.14': 'ListQuestInput: spaceId, statuses, types, first.',

  // 4.3 Starboard pagination
  '4.3.1': 'pagination has one key forward with first (required) and after (optional).',
  '4.3.2': 'pageInfo.endCursor is the next after.',
  '4.3.3': 'Stop when pageInfo.hasNextPage is false.',

  // 4.4 Space pagination
  '4.4.1': 'Start with cursorAfter null.',
  '4.4.2': 'Pass the previous endCursor as the next cursorAfter.',
  '4.4.3': 'Stop when pageInfo.hasNextPage is false.',
  '4.4.4': 'cursorBefore starts pagination before a cursor; first and after are deprecated.',
  '4.4.5': 'sprintId restricts the ranking to one sprint.',
  '4.4.6': 'A rank is found by paging: no field returns it directly.',

  // 5.1 Server access token
  '5.1.1': 'Every request carries the header access-token.',
  '5.1.2': 'The value is displayed once and cannot be viewed again.',
  '5.1.3': 'Missing: TOKEN_REQUIRED 401; unrecognized: INVALID_TOKEN 401; without permission: PERMISSION_DENIED 403.',
  '5.1.4': 'A replaced token no longer validates.',

  // 7.1 Envelope
  '7.1.1': 'A failed request returns an errors array.',
  '7.1.2': 'message: human-readable text.',
  '7.1.3': 'extensions.code: machine-readable.',
  '7.1.4': 'extensions.category: classification.',
  '7.1.5': 'extensions.http_status: integer.',
  '7.1.6': 'extensions.request_id: tracking identifier.',
  '7.1.7': 'extensions.timestamp: ISO 8601 UTC.',
  '7.1.8': 'extensions.details: strings of the form name: value.',

  // 7.2 Codes
  '7.2.1': 'TOKEN_REQUIRED, AUTHENTICATION, 401.',
  '7.2.2': 'INVALID_TOKEN, AUTHENTICATION, 401.',
  '7.2.3': 'QUOTA_EXCEEDED, RATE_LIMIT, 429; details with the quota type and the limit.',
  '7.2.4': 'PERMISSION_DENIED, AUTHORIZATION, 403.',
  '7.2.5': 'NOT_FOUND, NOT_FOUND, 404.',
  '7.2.6': 'INVALID_ARGUMENT, VALIDATION, 400.',
  '7.2.7': 'Message texts of TOKEN_REQUIRED, INVALID_TOKEN and QUOTA_EXCEEDED.',

  // 7.3 Per-area messages
  '7.3.1': 'Starboard not found: unknown starboard ID.',
  '7.3.2': 'Twitter user not found: user not tracked in that starboard.',
  '7.3.3': 'Invalid pagination: malformed pagination input.',
  '7.3.4': 'Space not found: unknown space ID.',
  '7.3.5': 'Invalid sprint ID: sprint does not exist.',
  '7.3.6': 'Invalid cursor: malformed cursor.',
  '7.3.7': 'Credential not found: unknown credential ID.',
  '7.3.8': 'Address not provided: address parameter missing.',
  '7.3.9': 'Invalid access token: bad or expired token.',
  '7.3.10': 'Quest not found: unknown quest ID.',
  '7.3.11': 'Quest is private: caller lacks access.',
  '7.3.12': 'Invalid status filter: status value not in the enumeration.',
  '7.3.13': 'Rate limit exceeded: too many requests.',

  // 8. Limits
  '8.1': 'A daily quota; exceeding it gives QUOTA_EXCEEDED with HTTP 429.',
  '8.3': 'The guidance for clients (polling, caching, waiting) is not enforced.',

  // 9. Versioning
  '9.1': 'On loyaltyPointsRanks, first and after are deprecated; cursorAfter and cursorBefore are current.',
}
