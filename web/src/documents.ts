// Documents that pages query with and that the playground offers as examples.

/** A space, and a page of its board. */
export const spaceRanks = `query SpaceRanks($spaceId: Int!, $cursorAfter: String, $sprintId: Int) {
  space(id: $spaceId) {
    id
    name
    description
    loyaltyPointsRanks(cursorAfter: $cursorAfter, sprintId: $sprintId) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      list {
        rank
        points
        address {
          username
          address
          avatar
        }
      }
    }
  }
}
`

export const credentialInfo = `query CredentialInfo($credId: ID!) {
  credential(id: $credId) {
    id
    name
    description
    credType
    credSource
    chain
    referenceLink
    itemCount
    lastUpdate
    lastSync
    syncStatus
    curatorSpace {
      id
      name
    }
  }
}
`

/** Whether an address holds a credential, for a quest if one is named. */
export const credentialEligibility = `query CredentialEligibility($credId: ID!, $address: String!, $campaignId: ID) {
  credential(id: $credId) {
    id
    name
    syncStatus
    eligible(address: $address, campaignId: $campaignId)
  }
}
`

/** A page of the quests that are public. */
export const questList = `query QuestList($input: ListQuestInput!) {
  quests(input: $input) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    list {
      id
      name
      type
      status
      startTime
      endTime
      cap
      participantsCount
      loyaltyPoints
      space {
        id
        name
      }
    }
  }
}
`

/** A quest, with its groups evaluated for an address. */
export const questEligibility = `query QuestEligibility($questId: ID!, $address: String!) {
  quest(id: $questId) {
    id
    name
    type
    status
    description
    startTime
    endTime
    cap
    participantsCount
    loyaltyPoints
    gasType
    chain
    space {
      id
      name
    }
    credentialGroups(address: $address) {
      id
      name
      conditionRelation
      conditions {
        expression
        eligible
      }
      rewards {
        expression
        eligible
        rewardType
        rewardCount
      }
    }
  }
}
`
