/** The colour of a quest's status. The name of the status is always shown next to it. */
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
