// How many of the newest blocks and transactions the home page lists.

export const latestShown = 10
