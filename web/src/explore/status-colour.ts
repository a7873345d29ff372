/** The colour of a quest's status; its name stands beside it. */
export function statusColour(status: string): string {
  switch (status) {
    case 'Active':
      return 'teal'
    case 'NotStarted':
      return 'blue'
    case 'CapReached':
      return 'orange'
    default:
      return 'gray'
  }
}
